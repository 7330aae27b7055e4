// What is offered while someone types.

import { foldCase } from "../util/text";

interface Branch {
  next: Map<string, Branch>;
  words: string[];
}

export class Suggestions {
  private readonly root: Branch = { next: new Map(), words: [] };

  learnWord(word: string): void {
    let branch = this.root;
    for (const letter of foldCase(word)) {
      branch = growBranch(branch, letter);
      if (branch.words.length < 5) branch.words.push(word);
    }
  }

  suggestWords(start: string): readonly string[] {
    let branch: Branch | undefined = this.root;
    for (const letter of foldCase(start)) branch = branch?.next.get(letter);
    return branch?.words ?? [];
  }
}

function growBranch(branch: Branch, letter: string): Branch {
  let next = branch.next.get(letter);
  if (!next) branch.next.set(letter, (next = { next: new Map(), words: [] }));
  return next;
}
