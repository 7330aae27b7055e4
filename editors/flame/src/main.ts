// Starts the page: waits for the data, and shows them or the sentence that says why not.

import { Broken, readProfile } from "./data";
import { el } from "./dom";
import { findHost } from "./host";
import { Page } from "./page";

const host = findHost();
let page: Page | null = null;
/** Of data that come while others are read only the last are shown. */
let newest = 0;
/** What the editor says while data are read is for the page that then is there. */
let cursor: { file: string | null; path: string | null } = { file: null, path: null };
let wanted: { file: string; path: string } | null = null;

function say(text: string) {
  page?.close();
  page = null;
  document.body.replaceChildren(el("p", { class: "notice", role: "alert" }, text));
}

async function show(bytes: ArrayBuffer, keep: boolean) {
  const turn = ++newest;
  try {
    const profile = await readProfile(new Uint8Array(bytes));
    if (turn !== newest) return;
    const state = page ? (keep ? page.state() : null) : keep ? host.kept() : null;
    page?.close();
    const threads = profile.header.threads;
    if (threads.every((it) => it.sums[2] === 0 && !it.before?.sums[2])) {
      return say(`${profile.header.title || "This trace"} has no samples: there is nothing to draw.`);
    }
    page = new Page(profile, host, state);
    page.setCursor(cursor.file, cursor.path);
    if (wanted) page.reveal(wanted.file, wanted.path);
    wanted = null;
  } catch (error) {
    if (turn !== newest) return;
    if (!(error instanceof Broken)) console.error(error);
    say(
      error instanceof Broken
        ? error.message
        : "This flame graph could not be drawn: the console of the browser says why.",
    );
  }
}

host.listen((message) => {
  switch (message.type) {
    case "data":
      void show(message.bytes, message.keep);
      break;
    case "cursor":
      cursor = message;
      page?.setCursor(message.file, message.path);
      break;
    case "reveal":
      if (page) page.reveal(message.file, message.path);
      else wanted = message;
      break;
    case "problem":
      say(message.text);
  }
});
