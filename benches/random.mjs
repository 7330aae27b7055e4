// Numbers that look random and are the same each time (mulberry32), so that a bench draws the same twice.

/** A function like `Math.random`, and one that takes a number of elements of a list, or all of a shorter one, in random order. */
export function randomFrom(seed) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const draw = (list, number) => {
    const rest = [...list];
    return Array.from({ length: Math.min(number, rest.length) }, () => rest.splice(Math.floor(random() * rest.length), 1)[0]);
  };
  return { random, draw };
}
