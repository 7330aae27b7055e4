// Repetition inside of repetition takes exponential time for what does not match.
function isSlug(text) {
  return /^([a-z0-9]+-?)+$/.test(text); // planted
}

function isNumber(text) {
  return /^\d+$/.test(text);
}

const texts = Array.from({ length: 30 }, (_, i) => `${"abcdefghij".repeat(2).slice(0, 19 + (i % 3))}!`);
console.log(texts.filter((text) => isSlug(text) || isNumber(text)).length);
