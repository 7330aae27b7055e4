// Minified into one line by esbuild, with its map beside it.
import { rasterize } from "./raster";

interface Shape {
  points: number[];
}

const shapes: Shape[] = Array.from({ length: 240 }, (_, i) => ({ points: [i % 40, (i * 7) % 40, (i * 13) % 40] }));

export function scene(all: Shape[]): number {
  return all.reduce((sum: number, shape: Shape) => sum + rasterize(shape.points, 220), 0);
}

console.log(scene(shapes));
