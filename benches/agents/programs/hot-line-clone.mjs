// Every step copies the whole state as text.
const initial = { items: Array.from({ length: 300 }, (_, id) => ({ id, tags: ["a", "b"], done: false })) };

function reduce(state, action) {
  if (action.type === "nothing") return state;
  const index = action.id % state.items.length;
  const next = JSON.parse(JSON.stringify(state)); // planted
  next.items[index].done = !next.items[index].done;
  return next;
}

let state = initial;
for (let id = 0; id < 6000; id++) state = reduce(state, { type: "toggle", id });
console.log(state.items.filter((item) => item.done).length);
