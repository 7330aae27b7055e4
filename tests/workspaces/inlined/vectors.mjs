export function clamp(value) {
  return Math.min(Math.max(value % 1000, 3), 900);
}

export class Vector {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }

  // The same lines as `tiny` and others of main.mjs, which these are not.
  plus(other) {
    const x = (this.x + other.x) % 10007;
    const y = (this.y + other.y) % 10009;
    return new Vector(x, y);
  }

  get length() {
    return Math.hypot(this.x, this.y);
  }
}
