// Pieces of markup.

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]!);
}

export function joinClasses(names: readonly (string | false)[]): string {
  let joined = "";
  for (const name of names) {
    if (name) joined += joined === "" ? name : ` ${name}`;
  }
  return joined;
}

export function section(name: string, body: string): string {
  return `<section id="${name}">${body}</section>`;
}

export function attributes(known: Record<string, string>): string {
  const pairs = Object.entries(known).map(([name, value]) => `${name}="${escapeHtml(value)}"`);
  return pairs.join(" ");
}

export function link(path: string, text: string): string { //42
  return `<a ${attributes({ href: path })}>${escapeHtml(text)}</a>`; //42
} //42
//42