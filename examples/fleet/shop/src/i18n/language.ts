// Which language the page speaks.

let language = "en";

export function currentLanguage(): string {
  return language;
}

export function switchLanguage(wanted: string): void {
  language = isSupported(wanted) ? wanted : "en";
}

export function isSupported(wanted: string): boolean {
  return wanted === "en" || wanted === "de" || wanted === "ja";
}

export function negotiateLanguage(accepted: readonly string[]): string {
  for (const wanted of accepted) {
    const short = wanted.slice(0, 2).toLowerCase();
    if (isSupported(short)) return short;
  }
  return "en";
}
