// From what someone typed to words that can be looked up.

import { foldCase, splitWords } from "../util/text";

const STOP_WORDS = new Set(["a", "and", "der", "die", "das", "for", "the", "und", "with"]);

export function tokenize(text: string): string[] {
  const tokens: string[] = [];
  for (const word of splitWords(foldCase(text))) {
    if (!isStopWord(word)) tokens.push(stem(word));
  }
  return tokens;
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** A word without its ending. */
export function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word;
}

export function trigrams(word: string): string[] {
  const padded = `  ${word} `;
  const grams: string[] = [];
  for (let at = 0; at + 3 <= padded.length; at++) grams.push(padded.slice(at, at + 3));
  return grams;
}
