// Makes the small pictures of the extension's README from those of the documentation: half as wide, and as WebP.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const ROOT = join(import.meta.dirname, "../..");
const NAMES = ["vscode-hover", "vscode-flame"];
const WIDTH = 1120;

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
const target = join(ROOT, "editors/vscode/media/readme");
mkdirSync(target, { recursive: true });
for (const name of NAMES) {
  const source = readFileSync(join(ROOT, "docs/images", `${name}.png`)).toString("base64");
  const small = await page.evaluate(
    async ({ source, width }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${source}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = Math.round((image.height * width) / image.width);
      const pen = canvas.getContext("2d");
      pen.imageSmoothingQuality = "high";
      pen.drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL("image/webp", 0.8);
    },
    { source, width: WIDTH },
  );
  writeFileSync(join(target, `${name}.webp`), Buffer.from(small.split(",")[1], "base64"));
}
await browser.close();
