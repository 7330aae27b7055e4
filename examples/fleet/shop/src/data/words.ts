// Words of which titles are made.

import type { Random } from "../util/random";

const ADJECTIVES = ["Blue", "Quiet", "Oiled", "Large", "Café", "Round", "Woven", "Über", "Light", "Folding"];
const NOUNS = ["chair", "lamp", "kettle", "table", "rug", "shelf", "mirror", "basket", "pillow", "clock"];

export function pickWord(random: Random): string {
  return `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`;
}

export function pickSentence(random: Random, words: number): string {
  let sentence = pickWord(random);
  while (--words > 0) sentence += ` and ${pickWord(random)}`;
  return `${sentence}.`;
}
