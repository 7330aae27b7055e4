// What Node's type stripping can run: every type can be erased.
import { orders } from "./orders.ts";
import { shapes } from "./shapes.ts";
import { words } from "./words.ts";

export type Part = () => number | Promise<number>;

/** Runs each part for some milliseconds. */
export async function run(parts: Record<string, Part>, milliseconds = 100): Promise<string[]> {
  const done: string[] = [];
  for (const [name, part] of Object.entries(parts)) {
    const end = performance.now() + milliseconds;
    let sum = 0;
    while (performance.now() < end) sum += await part();
    done.push(`${name} ${sum > 0}`);
  }
  return done;
}

export const plain: Record<string, Part> = { orders, shapes, words };
