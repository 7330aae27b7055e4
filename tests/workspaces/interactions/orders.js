const rows = Array.from({ length: 400 }, (_, at) => ({ name: 'order ' + (at * 7919) % 400, price: (at * 31) % 97 }));
const list = document.getElementById('list');
function busy(milliseconds) {
  const end = performance.now() + milliseconds;
  let sum = 0;
  while (performance.now() < end) sum += Math.sqrt(sum + 1);
  return sum;
}
function draw(shown) {
  list.replaceChildren(...shown.map((row) => Object.assign(document.createElement('li'), { textContent: row.name })));
}
function sortRows() {
  busy(120);
  rows.sort((a, b) => a.price - b.price);
  draw(rows);
}
function filterRows(event) {
  busy(60);
  draw(rows.filter((row) => row.name.includes(event.target.value)));
}
function validate() {
  busy(25);
}
document.getElementById('sort').addEventListener('click', sortRows);
document.getElementById('filter').addEventListener('input', filterRows);
document.getElementById('filter').addEventListener('keydown', validate);
draw(rows);
