export class Route {
  constructor(readonly parts: string[], private readonly pattern: RegExp) {}

  matches(path: string): boolean {
    return this.pattern.test(path);
  }
}

/** A route of a pattern such as `/tea/:name`. */
export function parse(pattern: string): Route {
  const parts = pattern.split("/").filter((part) => part !== "");
  const source = parts.map((part) => (part.startsWith(":") ? "([^/]+)" : escape(part))).join("/");
  return new Route(parts, new RegExp(`^/${source}$`));
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
