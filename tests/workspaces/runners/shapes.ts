export interface Point {
  readonly x: number;
  readonly y: number;
}

type Ring = readonly Point[];

export abstract class Shape {
  static #made = 0;
  readonly id: number;

  constructor() {
    this.id = Shape.#made++;
  }

  abstract area(): number;

  abstract get label(): string;

  scaled(factor: number): number {
    return this.area() * factor ** 2;
  }
}

export class Circle extends Shape {
  private readonly radius: number;

  constructor(radius: number) {
    super();
    this.radius = radius;
  }

  area(): number {
    let sum = 0;
    for (let i = 1; i < 40; i++) sum += Math.sqrt(this.radius ** 2 - (this.radius * i / 40) ** 2) * this.radius / 40;
    return sum * 4;
  }

  get label(): string {
    return `circle ${this.radius.toFixed(2)}`;
  }
}

export class Polygon extends Shape {
  #ring: Ring = [];
  private cached: number | undefined;

  get ring(): Ring {
    return this.#ring;
  }

  set ring(points: Ring) {
    this.#ring = points.map((point) => ({ ...point }));
    this.cached = undefined;
  }

  area(): number {
    return (this.cached ??= this.#measure());
  }

  #measure(): number {
    let sum = 0;
    this.#ring.forEach((point, i) => {
      const next = this.#ring[(i + 1) % this.#ring.length]!;
      sum += point.x * next.y - next.x * point.y;
    });
    return Math.abs(sum) / 2;
  }

  get label(): string {
    return this.#ring.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  }

  static regular(corners: number, radius = 1): Polygon {
    const polygon = new Polygon();
    polygon.ring = Array.from({ length: corners }, (_, i) => {
      const angle = (2 * Math.PI * i) / corners;
      return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
    });
    return polygon;
  }
}

export function shapes(): number {
  const list: Shape[] = [];
  for (let i = 3; i < 40; i++) list.push(i % 2 ? new Circle(i) : Polygon.regular(i));
  return list
    .filter((shape) => shape.label.length > 3)
    .map((shape) => shape.scaled(1.5))
    .reduce((sum, area) => sum + area, 0);
}
