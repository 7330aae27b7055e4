// Stacks as they were sampled and what may be done to them before they are drawn: recursion folded, one function focused.

/** Stacks, each by its caller's stack (-1: outermost) and its function. Callers come first. */
export interface Stacks {
  count: number;
  caller: Int32Array;
  fn: Int32Array;
}

/** Changed stacks, and which of them each stack has become; -1: left out. */
export interface Changed {
  stacks: Stacks;
  of: Int32Array;
}

/** Finds or makes the stack of a caller and a function. */
class StackTable {
  private readonly at = new Map<number, number>();
  private readonly caller: number[] = [];
  private readonly fn: number[] = [];

  constructor(private readonly functions: number) {}

  get(caller: number, fn: number): number {
    const key = (caller + 1) * this.functions + fn;
    let it = this.at.get(key);
    if (it === undefined) {
      it = this.fn.length;
      this.at.set(key, it);
      this.caller.push(caller);
      this.fn.push(fn);
    }
    return it;
  }

  finish(): Stacks {
    return { count: this.fn.length, caller: Int32Array.from(this.caller), fn: Int32Array.from(this.fn) };
  }
}

/** A function that calls itself, directly, is one frame. Other recursion stays: what is between belongs to the functions between. */
export function foldRecursion({ count, caller, fn }: Stacks, functions: number): Changed {
  const table = new StackTable(functions);
  const of = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const up = caller[i];
    of[i] = up >= 0 && fn[up] === fn[i] ? of[up] : table.get(up < 0 ? -1 : of[up], fn[i]);
  }
  return { stacks: table.finish(), of };
}

/** Stacks from the outermost occurrence of a function on; all others are left out. */
export function focusOn({ count, caller, fn }: Stacks, focused: number, functions: number): Changed {
  const table = new StackTable(functions);
  const of = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const up = caller[i] < 0 ? -1 : of[caller[i]];
    of[i] = up >= 0 || fn[i] === focused ? table.get(up, fn[i]) : -1;
  }
  return { stacks: table.finish(), of };
}

/** One change after the other. */
export function chain(first: Changed | null, second: Changed): Changed {
  if (!first) return second;
  return { stacks: second.stacks, of: first.of.map((it) => (it < 0 ? -1 : second.of[it])) };
}

/** For each stack the stacks that it calls: those of `i` are `list[from[i]]` to `list[from[i + 1] - 1]`; of -1, the outermost, `outermost`. */
export interface Callees {
  from: Int32Array;
  list: Int32Array;
  outermost: Int32Array;
}

export function callees({ count, caller }: Stacks): Callees {
  const from = new Int32Array(count + 1);
  let outer = 0;
  for (let i = 0; i < count; i++) {
    if (caller[i] < 0) outer++;
    else from[caller[i] + 1]++;
  }
  for (let i = 0; i < count; i++) from[i + 1] += from[i];
  const next = from.slice();
  const list = new Int32Array(count - outer);
  const outermost = new Int32Array(outer);
  outer = 0;
  for (let i = 0; i < count; i++) {
    if (caller[i] < 0) outermost[outer++] = i;
    else list[next[caller[i]]++] = i;
  }
  return { from, list, outermost };
}

/** Whether the function of a stack is on it for the first time, so that a function counts once per stack. */
export function outermostOccurrences(stacks: Stacks, functions: number, of: Callees = callees(stacks)): Uint8Array {
  const first = new Uint8Array(stacks.count);
  const onStack = new Int32Array(functions);
  const todo: number[] = Array.from(of.outermost);
  // A stack is visited when it is taken, and left when its complement is.
  while (todo.length > 0) {
    const it = todo.pop() as number;
    if (it < 0) {
      onStack[stacks.fn[~it]]--;
      continue;
    }
    if (onStack[stacks.fn[it]]++ === 0) first[it] = 1;
    todo.push(~it);
    for (let i = of.from[it]; i < of.from[it + 1]; i++) todo.push(of.list[i]);
  }
  return first;
}
