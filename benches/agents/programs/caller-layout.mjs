// Measuring is asked for by three functions, and by one of them in a loop over all pairs.
function measure(box) {
  let width = 0;
  for (const child of box.children) width += Math.sqrt(child * child + 9) | 0;
  return width;
}

function draw(box) {
  return "#".repeat(measure(box) % 10);
}

function fits(box, limit) {
  return measure(box) < limit;
}

function align(boxes) { // planted
  let shift = 0;
  for (const a of boxes) {
    for (const b of boxes) shift += measure(a) - measure(b);
  }
  return shift;
}

const boxes = Array.from({ length: 650 }, (_, i) => ({ children: Array.from({ length: 120 }, (_, j) => (i * j) % 53) }));
console.log(boxes.map(draw).join("").length, boxes.filter((box) => fits(box, 900)).length, align(boxes));
