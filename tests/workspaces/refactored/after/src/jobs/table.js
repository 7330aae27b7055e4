import { spend } from "../spend.js";

export function widths(rows) {
  spend(3);
  return rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
}

export function formatRow(row, columns) {
  spend(3);
  const cells = row.map((cell, at) => String(cell).trim().padEnd(columns[at]));
  return cells.join(" │ ");
}

export function formatTable(rows) {
  spend(3);
  const columns = widths(rows);
  return rows.map((row) => formatRow(row, columns)).join("\n");
}

export function sumOf(rows, column) {
  spend(3);
  let sum = 0;
  for (const row of rows) sum += Number(row[column]);
  return sum;
}

export function transpose(rows) {
  spend(3);
  return rows[0].map((_, column) => rows.map((row) => row[column]));
}

export function groupRows(rows, column) {
  spend(3);
  const groups = {};
  for (const row of rows) (groups[row[column]] ??= []).push(row);
  return groups;
}
