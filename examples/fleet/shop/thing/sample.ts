export function sample%Things%(count: number): %Thing%[] {
  const random = new Random(count);
  const made: %Thing%[] = [];
  for (let at = 0; at < count; at++) {
    const known = { %label%: pickWord(random), %price%: random.below(90_000), %count%: random.below(9), %time%: random.below(2 ** 31), %flag%: random.below(8) === 0 };
    made.push(normalize%Thing%(create%Thing%(`%thing%-${at}`, known)));
  }
  return made;
}
