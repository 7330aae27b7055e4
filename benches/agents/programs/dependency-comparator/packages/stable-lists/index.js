export function sortBy(list, key) {
  return [...list].sort((a, b) => key(a) - key(b));
}
