// The height of the water at many places, in JavaScript that Hermes runs without a compiler before it.
function height(place, hour) {
  var sum = 0;
  for (var wave = 1; wave < 40; wave++) {
    sum += Math.sin(place * wave + hour) / wave;
  }
  return sum;
}

const highest = (place, hours) => {
  let best = -Infinity;
  for (let hour = 0; hour < hours; hour++) best = Math.max(best, height(place, hour));
  return best;
};

function describe(place) {
  var text = "";
  for (var index = 0; index < 200; index++) text += String.fromCharCode(97 + ((place * index) % 26));
  return text.split("").reverse().join("");
}

function tides(rounds) {
  var all = [];
  for (var place = 0; place < rounds; place++) {
    all.push({ name: describe(place), height: highest(place, 24) });
  }
  all.sort(function (a, b) {
    return b.height - a.height;
  });
  return all.map((it) => it.name.length + it.height).reduce((sum, it) => sum + it, 0);
}

print(tides(3000));
