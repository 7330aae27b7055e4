import { join } from 'node:path';
export const base: Record<string, number> = { q: 1, s: 2 };
declare const M: (n: number) => void;
function dec(target: any, key?: any, d?: any): any { M(1); return d; }
export class Shop {
  private items: number[] = (() => { M(2); return [1, 2]; })();
  #secret = 3;
  static count = 0;
  constructor(readonly name: string = 'x') { M(3); }
  get total() { M(4); return this.items.reduce((a, b) => { M(5); return a + b; }, this.#secret); }
  add(...more: number[]) { M(6); this.items = [...this.items, ...more]; return { ...base, n: more.length }; }
  async load(it = 1) { M(7); await null; for await (const x of this.all()) { it += x; } return it; }
  async *all() { M(8); yield* [1, 2]; yield 3; }
  *gen() { M(9); yield 1; }
  static make() { M(10); return new Shop(); }
  has(x: object) { M(11); return x instanceof Shop; }
}
export class Market extends Shop {
  extra = 4;
  add(...more: number[]) { M(12); return super.add(...more, 1); }
}
export default class Late extends Market {
  constructor() { super('late'); M(13); }
  run() { M(14); const { q, ...rest } = { ...base, z: 1 }; return [rest, typeof q, join('a', 'b')]; }
}
export const pick = ({ a, ...others }: any, [x, y, ...zs]: any[] = []) => { M(15); return [a, others, x, y, zs]; };
export async function later(n: number) { M(16); await n; const f = async () => { M(17); return n; }; return f(); }
export function tag(s: TemplateStringsArray, ...v: any[]) { M(18); return s.join('') + v.length; }
export const told = () => { M(19); return tag`a${1}b`; };
for (const [k, v] of Object.entries(base)) { const f = () => { M(20); return k + v; }; f(); }
export enum Kind { A, B }
export namespace Deep { export function inside() { M(21); return Kind.A; } }
