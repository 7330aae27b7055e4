// The view as a picture to keep: as pixels, or as SVG whose names can be searched.

import { css } from "./colors";
import { changeText, markOf, pairOf } from "./difference";
import { type Picture, Renderer } from "./draw";
import type { Layout } from "./layout";
import { shown } from "./text";

const TITLE = 24;

/** The view as it is seen, with its title above. */
export function png(picture: Picture, title: string, width: number, height: number): Promise<Blob> {
  const ratio = picture.rowHeight / 18;
  const strip = Math.round(TITLE * ratio);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = strip + height;
  const rows = document.createElement("canvas");
  rows.width = width;
  rows.height = height;
  new Renderer().draw(rows.getContext("2d", { alpha: false }) as CanvasRenderingContext2D, picture);
  const g = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  g.fillStyle = css(picture.palette.theme.background);
  g.fillRect(0, 0, width, canvas.height);
  g.fillStyle = picture.palette.theme.text;
  g.font = `${Math.round(13 * ratio)}px sans-serif`;
  g.textBaseline = "middle";
  g.fillText(shown(title, 200), 6 * ratio, strip / 2);
  g.drawImage(rows, 0, strip);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large for this browser."))),
      "image/png",
    );
  });
}

/** A picture has no more rows; nobody looks at them. */
const MOST_ROWS = 1000;
const WIDTH = 1600;
const ROW = 18;
const LETTER = 7.2;

/** All rows of the part from the left edge to the right one. What is narrower than half a pixel is drawn where nothing else is. */
export function svg(picture: Picture, title: string, describe: (frame: number) => string): string {
  const { layout, palette, swatches, nameOf, from, to, matches } = picture;
  const rows = Math.min(MOST_ROWS, layout.rows.length);
  const height = TITLE + rows * ROW;
  const scale = WIDTH / (to - from);
  const { theme } = palette;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="12">`,
    `<rect width="100%" height="100%" fill="${css(theme.background)}"/>`,
    `<text x="6" y="16" font-size="13" fill="${theme.text}">${escaped(shown(title, 200))}</text>`,
  ];
  for (let r = 0; r < rows; r++) {
    const { start, end, frame, count } = layout.rows[r];
    let drawn = -1;
    for (let i = 0; i < count; i++) {
      const x0 = Math.max(0, (layout.at[start[i]] - from) * scale);
      const x1 = Math.min(WIDTH, (layout.at[end[i]] - from) * scale);
      if (x1 <= 0 || x0 >= WIDTH || (x1 - x0 < 0.5 && x1 - drawn < 0.5)) continue;
      drawn = x1;
      const fn = layout.frames.fn[frame[i]];
      const { steps } = layout;
      const colored = steps ? palette.differences : palette;
      const colors = matches && !matches[fn] ? colored.dim : colored;
      const swatch = steps ? steps[frame[i]] : swatches[fn];
      const y = TITLE + r * ROW;
      const width = Math.max(0.5, x1 - x0 - (x1 - x0 > 3 ? 0.5 : 0));
      parts.push(
        `<g><title>${escaped(describe(frame[i]))}</title>`,
        `<rect x="${x0.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${ROW - 1}" fill="${colors.fills[swatch]}"/>`,
      );
      const room = Math.floor((x1 - x0 - 8) / LETTER);
      if (room >= 2) {
        const name = escaped(shown(labelOf(layout, frame[i], nameOf(fn)), room));
        parts.push(`<text x="${(x0 + 4).toFixed(2)}" y="${y + 13}" fill="${colors.texts[swatch]}">${name}</text>`);
      }
      parts.push("</g>");
    }
  }
  return `${parts.join("\n")}\n</svg>\n`;
}

/** The name of a frame; in a comparison with the sign of the difference before it, and behind it how much it is. */
function labelOf({ steps, frames }: Layout, frame: number, name: string): string {
  if (!steps || !frames.sides) return name;
  const mark = markOf(steps[frame]);
  return `${mark}${mark && " "}${name}  ${changeText(pairOf(frames.sides, "total", frame))}`;
}

/** Text that is nothing but text in XML. */
export function escaped(text: string): string {
  const known: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  // Halves of surrogate pairs and noncharacters are not allowed in XML.
  return text
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, " ")
    .replace(/[&<>"]/g, (it) => known[it]);
}
