// Which colours the page has: those of VS Code's theme in a webview, else what the browser's user prefers; on paper always light.

import { type Palette, paletteOf, parseColor, THEMES, type Theme, type ThemeName } from "./colors";

const prefers = (query: string) => matchMedia(`(${query})`).matches;

function themeName(): ThemeName {
  const { classList } = document.body;
  if (classList.contains("vscode-high-contrast-light")) return "contrast-light";
  if (classList.contains("vscode-high-contrast")) return "contrast-dark";
  if (classList.contains("vscode-light")) return "light";
  if (classList.contains("vscode-dark")) return "dark";
  const isDark = prefers("prefers-color-scheme: dark");
  const isContrast = prefers("forced-colors: active") || prefers("prefers-contrast: more");
  return `${isContrast ? "contrast-" : ""}${isDark ? "dark" : "light"}`;
}

/** The palette of the moment; the background and the text are the editor's. */
export function currentPalette(categories: string[], isPaper: boolean): Palette {
  if (isPaper) return paletteOf(THEMES.light, categories);
  const name = themeName();
  document.documentElement.dataset.theme = name;
  const style = getComputedStyle(document.body);
  const theme: Theme = { ...THEMES[name] };
  const background = parseColor(style.getPropertyValue("--vscode-editor-background"));
  if (background) theme.background = background;
  const text = style.getPropertyValue("--vscode-editor-foreground").trim();
  if (text) theme.text = text;
  return paletteOf(theme, categories);
}

/** Calls back when the user changes the theme, and around printing. */
export function onThemeChange(changed: (isPaper: boolean) => void, signal: AbortSignal) {
  const screen = () => changed(false);
  for (const query of ["prefers-color-scheme: dark", "forced-colors: active", "prefers-contrast: more"]) {
    matchMedia(`(${query})`).addEventListener("change", screen, { signal });
  }
  // VS Code sets classes of the body and variables of the document.
  const observer = new MutationObserver(screen);
  observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-vscode-theme-id"] });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
  signal.addEventListener("abort", () => observer.disconnect());
  window.addEventListener("beforeprint", () => changed(true), { signal });
  window.addEventListener("afterprint", screen, { signal });
}
