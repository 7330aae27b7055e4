// In a function of many steps one line searches a list.
function unique(records) {
  const seen = [];
  const kept = [];
  for (const record of records) {
    const key = `${record.city}/${record.street}`;
    const score = record.visits * 2 + 1;
    if (score < 0) continue;
    if (seen.includes(key)) continue; // planted
    seen.push(key);
    kept.push({ key, score });
  }
  return kept;
}

const records = Array.from({ length: 12_000 }, (_, i) => ({ city: `city ${i % 97}`, street: `street ${i % 101}`, visits: i % 7 }));
console.log(unique(records).length);
