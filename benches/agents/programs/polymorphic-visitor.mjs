// A tree is walked through a table of functions, by the names of its keys.
const visitors = { number: (node) => node.value, sum: (node) => node.list.length, list: (node) => node.items.length };

function visit(node) { // planted
  let count = visitors[node.type]?.(node) ?? 0;
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (Array.isArray(value)) for (const child of value) count += visit(child);
    else if (value !== null && typeof value === "object") count += visit(value);
  }
  return count;
}

function tree(depth) {
  if (depth === 0) return { type: "number", value: depth };
  return depth % 2 ? { type: "sum", list: [tree(depth - 1), tree(depth - 1)] } : { type: "list", items: [tree(depth - 1)], last: tree(depth - 1) };
}

const root = tree(15);
let count = 0;
for (let i = 0; i < 14; i++) count += visit(root);
console.log(count);
