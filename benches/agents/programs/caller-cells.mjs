// Formatting is quick, but a row formats its total once more for each cell.
function money(cents) {
  let text = String(cents % 100).padStart(2, "0");
  for (let rest = Math.floor(cents / 100); rest > 0; rest = Math.floor(rest / 1000)) text = `${rest % 1000},${text}`;
  return text;
}

function row(cells) { // planted
  let line = "";
  for (let i = 0; i < cells.length; i++) {
    for (let j = 0; j <= i; j++) line = money(cells[j]) + line.slice(0, 20);
  }
  return line;
}

function footer(rows) {
  return money(rows.length);
}

const rows = Array.from({ length: 160 }, (_, i) => Array.from({ length: 120 }, (_, j) => (i * 31 + j * 7919) % 1_000_000));
console.log(rows.map(row).join("").length, footer(rows));
