// Two callers use one hash; the one that looks names up hashes each of them for each of the others.
function hash(text) {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = (value * 31 + text.charCodeAt(i)) | 0;
  return value;
}

function store(names) {
  return new Map(names.map((name) => [hash(name), name]));
}

function collisions(names) { // planted
  let count = 0;
  for (const a of names) {
    for (const b of names) if (a !== b && hash(a) === hash(b)) count++;
  }
  return count;
}

const names = Array.from({ length: 2200 }, (_, i) => `component-${(i * 7919) % 10_007}-of-the-page`);
console.log(store(names).size, collisions(names));
