// Colours of frames by what they are, after Okabe and Ito, whose colours people with any colour vision tell apart; text on them is
// black or white, whichever is easier to read.

import type { Header } from "./data";

type Rgb = [red: number, green: number, blue: number];

export type ThemeName = "light" | "dark" | "contrast-light" | "contrast-dark";

export interface Theme {
  name: ThemeName;
  background: Rgb;
  text: string;
  muted: string;
  line: string;
  /** Outlines: of what is selected, and of the function under the editor's cursor. */
  selection: string;
  cursor: string;
}

/** By the categories of the data, in their order there. */
const FILLS: Record<string, Rgb> = {
  workspace: [230, 159, 0],
  dependency: [86, 180, 233],
  runtime: [240, 228, 66],
  native: [0, 158, 115],
  "garbage collection": [213, 94, 0],
  unplaced: [204, 121, 167],
  idle: [190, 190, 190],
};
const UNKNOWN: Rgb = [160, 160, 160];

/** What people read of a category, and what it is. */
export const CATEGORY_TEXTS: Record<string, { name: string; about: string }> = {
  workspace: { name: "Workspace", about: "functions in files of the workspace" },
  dependency: { name: "Dependency", about: "installed packages" },
  runtime: { name: "Runtime", about: "JavaScript that Node or the browser brings along" },
  native: { name: "Native", about: "the engine itself, and functions that are not JavaScript" },
  "garbage collection": { name: "Garbage collection", about: "the engine frees memory" },
  unplaced: { name: "Unknown source", about: "no source was found for it, or several fit" },
  idle: { name: "Idle", about: "nothing ran" },
};

/** Shades of a category, so that functions, and packages, side by side differ. */
export const SHADES = 5;

/** Colours by `category * SHADES + shade`. */
export interface Palette extends Swatches {
  theme: Theme;
  /** The same for frames that a search does not match. */
  dim: Swatches;
  /** Colours of differences, from gone to new, and the same dimmed. */
  differences: Swatches & { dim: Swatches };
}

/** Colours in the forms in which they are needed. */
interface Swatches {
  /** As pixels: the bytes red, green and blue, the lowest first; no opacity. */
  pixels: Uint32Array;
  fills: string[];
  texts: string[];
}

/**
 * From gone through about the same to new. Blue and orange are told apart with any colour vision; the more a frame changed, the more
 * it stands out from the background, which is seen without any colours.
 */
const DIFFERENCES: Record<"light" | "dark", Rgb[]> = {
  light: [
    [8, 81, 156],
    [49, 130, 189],
    [123, 184, 222],
    [200, 222, 240],
    [224, 224, 224],
    [253, 219, 178],
    [250, 170, 90],
    [217, 108, 14],
    [153, 63, 4],
  ],
  dark: [
    [160, 212, 255],
    [94, 170, 232],
    [48, 118, 180],
    [45, 76, 108],
    [72, 72, 72],
    [104, 74, 40],
    [166, 104, 32],
    [230, 145, 50],
    [255, 198, 128],
  ],
};

const DARK: Theme = {
  name: "dark",
  background: [30, 30, 30],
  text: "#d4d4d4",
  muted: "#a0a0a0",
  line: "#454545",
  selection: "#ffffff",
  cursor: "#ff4fd8",
};
const LIGHT: Theme = {
  name: "light",
  background: [255, 255, 255],
  text: "#1f1f1f",
  muted: "#616161",
  line: "#d0d0d0",
  selection: "#000000",
  cursor: "#c2007a",
};
export const THEMES: Record<ThemeName, Theme> = {
  dark: DARK,
  light: LIGHT,
  "contrast-dark": {
    ...DARK,
    name: "contrast-dark",
    background: [0, 0, 0],
    text: "#ffffff",
    muted: "#ffffff",
    line: "#ffffff",
  },
  "contrast-light": { ...LIGHT, name: "contrast-light", text: "#000000", muted: "#000000", line: "#000000" },
};

export function paletteOf(theme: Theme, categories: string[]): Palette {
  const colors: Rgb[] = [];
  for (const category of categories) {
    const fill = FILLS[category] ?? UNKNOWN;
    for (let shade = 0; shade < SHADES; shade++) colors.push(shaded(fill, shade, theme, category));
  }
  const differences = DIFFERENCES[theme.name.endsWith("dark") ? "dark" : "light"];
  const both = (colors: Rgb[]) => {
    const dimmed = colors.map((it) => mix(it, theme.background, 0.75));
    return { ...swatches(colors), dim: swatches(dimmed) };
  };
  return { theme, ...both(colors), differences: both(differences) };
}

function swatches(colors: Rgb[]): Swatches {
  return {
    pixels: Uint32Array.from(colors, ([r, g, b]) => r | (g << 8) | (b << 16)),
    fills: colors.map(css),
    texts: colors.map(textOn),
  };
}

/** Dark themes get fills that are a little darker; high contrast gets the full colour only. */
function shaded(fill: Rgb, shade: number, { name }: Theme, category: string): Rgb {
  if (name.startsWith("contrast")) return fill;
  if (category === "idle") return name === "dark" ? [70, 70, 70] : [225, 225, 225];
  const base = name === "dark" ? mix(fill, [0, 0, 0], 0.12) : fill;
  // Up to white a third of the way, up to black a sixth: hues stay apart from each other.
  const part = [0, 0.16, 0.3, -0.08, -0.16][shade];
  return part >= 0 ? mix(base, [255, 255, 255], part) : mix(base, [0, 0, 0], -part);
}

function mix(from: Rgb, to: Rgb, part: number): Rgb {
  return from.map((it, i) => Math.round(it + (to[i] - it) * part)) as Rgb;
}

export function css([r, g, b]: Rgb): string {
  return `rgb(${r}, ${g}, ${b})`;
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((it) => {
    const part = it / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** How well colours are told apart, as WCAG has it: 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function textOn(fill: Rgb): string {
  return contrast(fill, [0, 0, 0]) >= contrast(fill, [255, 255, 255]) ? "#000000" : "#ffffff";
}

/** A colour as the browser resolves it, `rgb(1, 2, 3)`. */
export function parseColor(text: string): Rgb | null {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(text.trim());
  if (hex) return [1, 2, 3].map((it) => Number.parseInt(hex[it], 16)) as Rgb;
  const rgb = /^rgba?\((\d+)[, ]+(\d+)[, ]+(\d+)/.exec(text.trim());
  return rgb ? (rgb.slice(1, 4).map(Number) as Rgb) : null;
}

/** Each function's place in a palette: dependencies have the shade of their package, others one of their own. */
export function swatchesOf({ functions, names, categories }: Header): Uint8Array {
  const dependency = categories.indexOf("dependency");
  return Uint8Array.from(functions.category, (category, fn) => {
    const shade =
      category === dependency && functions.package[fn] >= 0
        ? functions.package[fn] % SHADES
        : hash(names[functions.name[fn]]);
    return category * SHADES + shade;
  });
}

function hash(name: string): number {
  let value = 7;
  for (let i = 0; i < Math.min(name.length, 100); i++) value = (Math.imul(value, 31) + name.charCodeAt(i)) >>> 0;
  return value % SHADES;
}
