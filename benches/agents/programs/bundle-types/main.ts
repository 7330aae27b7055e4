// Bundled with its map inside of the file.
enum Kind { Word, Space, Mark }
type Token = { kind: Kind; text: string };

function kindOf(character: string): Kind {
  return character === " " ? Kind.Space : /\w/.test(character) ? Kind.Word : Kind.Mark;
}

function tokenize(text: string): Token[] { // planted
  const tokens: Token[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start + 1;
    while (end < text.length && kindOf(text.charAt(end)) === kindOf(text.charAt(start))) end++;
    tokens.push({ kind: kindOf(text.charAt(start)), text: text.slice(start, end) });
    start = end;
  }
  return tokens;
}

console.log(tokenize("a few words, and some marks; ".repeat(28_000)).length);
