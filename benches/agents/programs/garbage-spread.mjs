// Each step copies the list so far.
function collect(entries) {
  return entries.reduce((all, entry) => [...all, entry.id], []); // planted
}

function sum(ids) {
  return ids.reduce((total, id) => total + id, 0);
}

const entries = Array.from({ length: 9000 }, (_, id) => ({ id }));
console.log(sum(collect(entries)), sum(collect(entries)));
