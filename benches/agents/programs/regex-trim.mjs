// White space at the end is looked for from every blank.
function trimEnd(text) {
  return text.replace(/\s+$/, ""); // planted
}

function words(text) {
  return text.split(" ").filter(Boolean).length;
}

const text = `start${" ".repeat(12_000)}end`;
let count = 0;
for (let i = 0; i < 6; i++) count += words(trimEnd(text));
console.log(count);
