// Words of a text by how often they occur; most of them were seen before.
const known = new Map();

function normalize(word) {
  if (known.has(word)) {
    return known.get(word);
  }
  let text = word.toLowerCase();
  for (const ending of ['s', 'ed', 'ing']) {
    if (text.endsWith(ending)) {
      text = text.slice(0, -ending.length);
      break;
    }
  }
  const short = text.length < 3 ? word : text;
  known.set(word, short);
  return short;
}

function count(words) {
  const counts = new Map();
  for (const word of words) {
    const name = normalize(word);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const letters = 'etaoin';
const words = Array.from({ length: 500_000 }, (_, at) => {
  let word = '';
  for (let rest = at % 5_003; rest > 0; rest = Math.floor(rest / 6)) word += letters[rest % 6];
  return at % 3 ? word : `${word}ing`;
});
const counts = count(words);
console.log(counts.size);
