function countStock(turns) {
  let sum = 0;
  for (let i = 0; i < turns; i++) sum += Math.sqrt(i % 1e4);
  return sum;
}

class Shelf {
  constructor(turns) {
    this.turns = turns;
  }

  weighShelf() {
    let sum = 0;
    for (let i = 0; i < this.turns; i++) sum += Math.cbrt(i % 1e4);
    return sum;
  }

  get volumeOfShelf() {
    let sum = 0;
    for (let i = 0; i < this.turns; i++) sum += Math.hypot(i % 1e4, 3);
    return sum;
  }
}
