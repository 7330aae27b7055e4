// Every header stands behind letters that are more bytes than UTF-16 units, or more UTF-16 units than characters.

/* 日本語 é */ function naïveSum(texts) {
  let sum = 0;
  for (const text of texts) {
    for (const letter of text) sum += letter.codePointAt(0) % 7;
  }
  return sum;
}

const named = { "😀😀 café": (list) => { return naïveSum(list) + naïveSum(list.slice(1)); } };

/* 🔥 */ function начало() {
  const texts = Array.from({ length: 2000 }, (_, i) => `größe 日本 😀 ${i}`.repeat(8));
  let sum = 0;
  for (let round = 0; round < 20; round++) sum += named["😀😀 café"](texts);
  return sum;
}

console.log(начало());
