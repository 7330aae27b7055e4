// An index is made by copying it for each key.
function index(names) {
  let byName = {};
  for (const [position, name] of names.entries()) {
    byName = { ...byName, [name]: position }; // planted
  }
  return byName;
}

function lookUp(byName, name) {
  return byName[name] ?? -1;
}

const names = Array.from({ length: 1800 }, (_, i) => `name-${i}`);
const byName = index(names);
console.log(names.reduce((sum, name) => sum + lookUp(byName, name), 0));
