// VS Code as people use it without a mouse: the palette, lists, menus, hovers and the status bar by keys, and by what has the focus.
// Nothing is clicked on, so that nothing is missed that moves while it is drawn.

import { basename } from "node:path";
import { AT_ONCE, drawn, eventually, PATIENT, page, SOON, texts, untilTrue } from "./browser.mjs";

const LIST = ".quick-input-list .monaco-list-row";
const INPUT = ".quick-input-widget:not([style*='display: none']) .quick-input-box input";

/**
 * Does something until what should come of it is seen. What is pressed while the page is busy may go nowhere, and people press it again;
 * so that nothing of ours hides behind that, each further try is told.
 */
async function insist(what, act, seen) {
  let problem;
  await eventually(async () => {
    if (problem) {
      // It came late, and what was pressed may be gone by now.
      if (await isSeen(seen)) return;
      console.log(`        ${what}, once more: ${problem.message.split("\n")[0]}`);
    }
    try {
      await act();
      await seen(SOON);
    } catch (error) {
      problem = error;
      throw error;
    }
  });
}

const isSeen = (seen) => seen({ timeout: 1 }).then(() => true, () => false);

/**
 * Runs a command of the palette. Just after the start VS Code may list its commands before it knows those of extensions, and a list
 * that is open stays as it is: then the palette is opened again, as a user would.
 */
export async function runCommand(title) {
  await eventually(async () => {
    await openList(`>${title}`);
    const row = page.locator(`${LIST}.focused`, { hasText: title });
    if (await row.waitFor(AT_ONCE).then(() => false, () => true)) {
      const listed = (await texts(LIST)).join("\n");
      await page.keyboard.press("Escape");
      throw new Error(`the palette has no "${title}":\n${listed}`);
    }
    const isTyping = await page.evaluate(() => document.activeElement?.closest(".quick-input-widget") !== null);
    if (!isTyping) throw new Error("the palette has lost the focus");
    await page.keyboard.press("Enter");
  });
}

/** Opens VS Code's list of everything: of commands behind `>`, of lines behind `:`, else of files. */
async function openList(text) {
  // A list that is about to close would take this one along, and what is pressed then would go into the file.
  if (await page.locator(INPUT).isVisible()) await page.keyboard.press("Escape");
  await page.locator(INPUT).waitFor({ ...SOON, state: "hidden" });
  await page.keyboard.press("F1");
  await page.locator(INPUT).fill(text, AT_ONCE);
}

/** Chooses from a list that is open, by what is typed: the row that has this text. */
export async function pick(text, typed = text, limit = PATIENT) {
  await drawn(LIST, text, limit);
  await page.locator(INPUT).fill(typed, limit);
  await drawn(`${LIST}.focused`, text, limit);
  await page.keyboard.press("Enter");
}

/**
 * Chooses from the list that a command opens, until what that leads to is seen. A page of the editor's that takes the focus when it is drawn
 * closes the list.
 */
export async function pickOf(title, text, seen) {
  const act = async () => {
    await runCommand(title);
    await pick(text, text, SOON);
  };
  await insist(`"${text}" of "${title}"`, act, seen);
}

/** Gives a file to the dialog for files that a command opens, until what that leads to is seen. */
export async function openInDialog(title, path, seen) {
  const act = async () => {
    await runCommand(title);
    // The dialog begins with a folder.
    await untilTrue((input) => document.querySelector(input)?.value.startsWith("/") ?? false, INPUT, SOON);
    await type(path);
    await drawn(`${LIST}.focused`, basename(path), SOON);
    await page.keyboard.press("Enter");
  };
  await insist(`${basename(path)} in the dialog`, act, seen);
}

/** Types into the list that is open. */
export async function type(text) {
  await page.locator(INPUT).fill(text);
}

/** Opens a file by its name. */
export async function openFile(name) {
  await eventually(() => openList(name));
  await drawn(`${LIST}.focused`, name);
  await page.keyboard.press("Enter");
  await drawn(".tab.active", name);
}

/** Puts the cursor at a line and column of the file that is shown. */
export async function goTo(line, column) {
  await eventually(async () => {
    await page.keyboard.press("Control+Digit1"); // What has the focus, a page of the editor's maybe, has no lines.
    await openList(`:${line}:${column}`);
    await page.locator(`${LIST}.focused`, { hasText: `line ${line}` }).waitFor(SOON);
  });
  await page.keyboard.press("Enter");
  // While the list is open the cursor is only shown there.
  await page.locator(INPUT).waitFor({ state: "hidden" });
  await drawn(".statusbar-item", `Ln ${line}, Col ${column}`);
}

/**
 * Presses the lens with this text of the function at a line and column, until what it leads to is seen. Lenses that VS Code draws anew
 * while its list is open leave the entries of that list without commands.
 */
export async function pressLens(line, column, text, seen) {
  const act = async () => {
    await goTo(line, column);
    await runCommand("Show CodeLens Commands for Current Line");
    await pick(text, text, SOON);
  };
  await insist(`the lens "${text}"`, act, seen);
}

/** Shows the hover at a line and column, which has this text. */
export async function hoverAt(line, column, text) {
  const act = async () => {
    await goTo(line, column);
    await page.keyboard.press("Control+KeyK");
    await page.keyboard.press("Control+KeyI");
  };
  await insist(`the hover at ${line}:${column}`, act, (soon) => drawn(".monaco-hover", text, soon));
}

/** Presses a link in the hover at a line and column, until what it leads to is seen. */
export async function followInHover(line, column, link, seen) {
  const act = async () => {
    await hoverAt(line, column, link);
    await page.locator(".monaco-hover a", { hasText: link }).evaluate((it) => it.click());
  };
  await insist(`"${link}" in the hover`, act, seen);
}

/** Closes the hover. */
export async function leaveHover() {
  await eventually(async () => {
    await page.keyboard.press("Escape");
    if (await page.evaluate(() => document.querySelector(".monaco-hover:not(.hidden)") !== null)) throw new Error("the hover stays");
  });
}

/** Goes to the row of a view that has, or begins with, such a text: the focus is on it then. */
export async function goToRow(view, text) {
  const focus = () => runCommand(`Focus on ${view} View`);
  await goThroughList(focus, (it) => (text instanceof RegExp ? text.test(it) : it.startsWith(text)), text);
}

/** Presses a key on the row of a view that has, or begins with, such a text, until what it leads to is seen. */
export async function pressOnRow(view, text, key, seen) {
  const act = async () => {
    await goToRow(view, text);
    await page.keyboard.press(key);
  };
  await insist(`${key} on "${text}"`, act, seen);
}

/** Unfolds a folder in the explorer. */
export async function unfold(name) {
  const act = async () => {
    await goToFile(name);
    await page.keyboard.press("ArrowRight");
  };
  await insist(`the folder ${name} unfolds`, act, (soon) => drawn(".explorer-folders-view [aria-level='1'][aria-expanded='true']", name, soon));
}

/** Goes to a file or folder in the explorer, which shows a folder in a folder as one. */
export async function goToFile(name) {
  const focus = () => runCommand("File: Focus on Files Explorer");
  const fits = (it) => it === name || it.startsWith(`${name}/`);
  try {
    await goThroughList(focus, fits, name, SOON);
  } catch {
    // It does not see what came just before it watched the folder.
    await runCommand("Refresh Explorer");
    await goThroughList(focus, fits, name);
  }
}

/** Goes to a row of a list in which several can be chosen. */
export async function goToRowOfPick(text) {
  await goThroughList(() => page.keyboard.press("Tab"), (it) => it.startsWith(text), text);
}

/** Goes down a list to the row of a text. What has no rows yet takes no focus, so that it may have to be given again. */
async function goThroughList(focus, fits, wanted, limit = PATIENT) {
  await focus();
  await eventually(async () => {
    await page.keyboard.press("Home");
    for (const seen = new Map(); ; await page.keyboard.press("ArrowDown")) {
      const row = await focusedRow();
      if (row && fits(row.text)) return;
      if (row && !seen.has(row.id)) {
        seen.set(row.id, row.text);
        continue;
      }
      if (!row) await focus();
      throw new Error(`no row is "${wanted}":\n${[...seen.values()].join("\n")}`);
    }
  }, limit);
}

/** Opens the menu of what has the focus; gives the texts of its entries. */
export async function openMenu(entry) {
  // The menu of an editor is in a tree of its own, which only locators look into.
  const isThere = (soon) => page.locator(".context-view .action-item", { hasText: entry }).first().waitFor(soon);
  await insist("the menu", () => page.keyboard.press("Shift+F10"), isThere);
  return await texts(".context-view .action-item .action-label");
}

/** Chooses an entry of the menu of what has the focus, until what it leads to is seen. */
export async function chooseInMenu(entry, seen) {
  const act = async () => {
    await openMenu(entry);
    await eventually(async () => {
      await page.keyboard.press("ArrowDown");
      const [focused] = await texts(".context-view .action-item.focused");
      if (!focused?.includes(entry)) throw new Error(`"${focused}" has the focus instead of "${entry}"`);
    });
    await page.keyboard.press("Enter");
  };
  await insist(`"${entry}" in the menu`, act, seen);
}

/** Presses the item of the status bar that has, or fits, such a text, until what it leads to is seen. */
export async function pressStatus(text, seen) {
  const act = async () => {
    await runCommand("Focus Status Bar");
    await focusBy("ArrowRight", text, SOON);
    await page.keyboard.press("Enter");
  };
  await insist(`"${text}" in the status bar`, act, seen);
}

/** Presses a key until something has the focus that can be pressed and has, or fits, such a text. */
export async function focusBy(key, text, limit = PATIENT) {
  const fits = (it) => (text instanceof RegExp ? text.test(it) : it.includes(text));
  const focused = () =>
    page.evaluate(() => {
      const it = document.activeElement;
      return it?.matches("a, button, [role=button]") ? it.textContent.replaceAll("\u00a0", " ") : "";
    });
  await eventually(async () => {
    if (fits(await focused())) return;
    await page.keyboard.press(key);
    const now = await focused();
    if (!fits(now)) throw new Error(`"${now}" has the focus instead of "${text}"`);
  }, limit);
}

/** The row of the list with the focus that the arrow keys are at. */
async function focusedRow() {
  return await page.evaluate(() => {
    const list = document.activeElement?.closest(".monaco-list");
    const id = list?.getAttribute("aria-activedescendant");
    const row = id ? document.getElementById(id) : null;
    return row && { id, text: row.textContent.replaceAll("\u00a0", " ") };
  });
}
