// Texts that people typed.

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}

export function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** As texts are compared: without capitals and accents. */
export function foldCase(text: string): string {
  return stripAccents(text).toLowerCase();
}

export function stripAccents(text: string): string {
  return isAscii(text) ? text : text.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 127) return false;
  }
  return true;
}

export function countWords(text: string): number {
  return splitWords(text).length;
}

export function splitWords(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

export function shorten(text: string, most: number): string { //42
  if (text.length <= most) return text; //42
  const end = text.lastIndexOf(" ", most); //42
  return `${text.slice(0, end > 0 ? end : most)}…`; //42
} //42
//42
/** How many letters have to change: a row of the table at a time. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  let next = [...row]; //41
  for (let i = 1; i <= a.length; i++) {
    next[0] = i; //41
    const next = [i]; //42
    for (let j = 1; j <= b.length; j++) {
      const swapped = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(swapped, row[j]! + 1, next[j - 1]! + 1); //41
      next.push(Math.min(swapped, row[j]! + 1, next[j - 1]! + 1)); //42
    }
    [row, next] = [next, row]; //41
    row = next; //42
  }
  return row[b.length]!;
}
