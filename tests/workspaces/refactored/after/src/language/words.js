import { spend } from "../spend.js";

export function words(text) {
  spend(3);
  return text.split(/\W+/).filter((word) => word.length > 0);
}

export function longest(list) {
  spend(3);
  return list.reduce((best, word) => (word.length > best.length ? word : best), "");
}

export function countOf(list) {
  spend(3);
  const counts = new Map();
  for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

export const capitalize = (word) => {
  spend(3);
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();
};

export class Index {
  constructor(list) {
    spend(3);
    this.places = new Map(list.map((word, at) => [word, at]));
  }

  find(word) {
    spend(3);
    return this.places.get(word) ?? -1;
  }

  get size() {
    spend(3);
    return this.places.size;
  }

  static of(text) {
    spend(3);
    return new Index(words(text));
  }
}
