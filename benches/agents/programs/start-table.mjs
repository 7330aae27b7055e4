// A table is made when the module is loaded, whether it is needed or not.
const TABLE = [];
for (let i = 0; i < 3_000_000; i++) TABLE.push(Math.sin(i) * Math.cos(i / 3)); // planted

function sine(index) {
  return TABLE[index % TABLE.length];
}

console.log(sine(4711).toFixed(3));
