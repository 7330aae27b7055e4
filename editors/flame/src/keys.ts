// Keys and what they do, in one table: the page acts by it, and the help shows it.

import { button, el } from "./dom";
import { openDialog } from "./menu";

export type Command =
  | "up"
  | "down"
  | "left"
  | "right"
  | "zoomIn"
  | "zoomOut"
  | "reset"
  | "zoomToFrame"
  | "panLeft"
  | "panRight"
  | "pageUp"
  | "pageDown"
  | "open"
  | "back"
  | "search"
  | "callTree"
  | "inverted"
  | "time"
  | "sandwich"
  | "table"
  | "focus"
  | "invert"
  | "fold"
  | "threads"
  | "pickFunction"
  | "span"
  | "widths"
  | "nextMarker"
  | "previousMarker"
  | "pin"
  | "copyName"
  | "copyStack"
  | "picture"
  | "help";

interface Key {
  keys: string[];
  command: Command;
  text: string;
}

export const KEYS: Key[] = [
  { keys: ["ArrowUp"], command: "up", text: "Select the frame above" },
  { keys: ["ArrowDown"], command: "down", text: "Select the frame below" },
  { keys: ["ArrowLeft"], command: "left", text: "Select the frame to the left" },
  { keys: ["ArrowRight"], command: "right", text: "Select the frame to the right" },
  { keys: ["+", "="], command: "zoomIn", text: "Zoom in" },
  { keys: ["-"], command: "zoomOut", text: "Zoom out" },
  { keys: ["0"], command: "reset", text: "Reset zoom: show everything" },
  { keys: ["z"], command: "zoomToFrame", text: "Zoom to the selected frame" },
  { keys: ["a"], command: "panLeft", text: "Move to the left" },
  { keys: ["d"], command: "panRight", text: "Move to the right" },
  { keys: ["PageUp"], command: "pageUp", text: "Scroll up" },
  { keys: ["PageDown"], command: "pageDown", text: "Scroll down" },
  { keys: ["Enter"], command: "open", text: "Open the definition of the selected frame" },
  { keys: [" ", "t"], command: "pin", text: "Details of the selected frame, with buttons" },
  { keys: ["Escape"], command: "back", text: "Back: close, zoom out, clear" },
  { keys: ["/"], command: "search", text: "Search names and files: text or /regular expression/" },
  { keys: ["1"], command: "callTree", text: "Call tree: equal stacks added up, the longest on the left" },
  { keys: ["2"], command: "inverted", text: "Bottom-up: functions by self time, and below each its callers" },
  { keys: ["3"], command: "time", text: "Time order: what ran when" },
  {
    keys: ["4"],
    command: "sandwich",
    text: "Sandwich: callers above, callees below the selected function or the one at the editor's cursor",
  },
  { keys: ["5"], command: "table", text: "Table: functions with self and total time" },
  { keys: ["f"], command: "focus", text: "Focus on the selected function and what it called, or end the focus" },
  { keys: ["i"], command: "invert", text: "Turn the call tree over to bottom-up, or back" },
  { keys: ["r"], command: "fold", text: "Collapse recursion: a function that calls itself is one frame" },
  { keys: ["p"], command: "threads", text: "Threads: choose those that are shown" },
  { keys: ["g"], command: "pickFunction", text: "Go to function: its callers and callees" },
  {
    keys: ["s"],
    command: "span",
    text: "Only this range: in time order, limit all views to what is seen, or end that",
  },
  {
    keys: ["w"],
    command: "widths",
    text: "Show before: in a comparison, frames as wide as before, also those that are gone",
  },
  { keys: ["m"], command: "nextMarker", text: "In time order: next marker" },
  { keys: ["M"], command: "previousMarker", text: "In time order: previous marker" },
  { keys: ["c"], command: "copyName", text: "Copy the name" },
  { keys: ["C"], command: "copyStack", text: "Copy the stack" },
  { keys: ["e"], command: "picture", text: "Save image, or copy it" },
  { keys: ["?"], command: "help", text: "Help: keys and colours" },
];

/** What a button does, and its key. */
export function labelOf(command: Command): string {
  const key = KEYS.find((it) => it.command === command);
  return key ? `${key.text} (${key.keys[0]})` : command;
}

/** Keys that an element with the focus needs for itself. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select");
}

/** The command of a key press; null where it belongs to an element or to the browser. */
export function commandOf(event: KeyboardEvent): Command | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (isTyping(event.target)) return event.key === "Escape" ? "back" : null;
  const onButton = event.target instanceof HTMLElement && event.target.closest("button, a, summary") !== null;
  if (onButton && (event.key === "Enter" || event.key === " ")) return null;
  return KEYS.find(({ keys }) => keys.includes(event.key))?.command ?? null;
}

const NAMES: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  PageUp: "Page up",
  PageDown: "Page down",
  " ": "Space",
};

/** Shows the keys and what the colours mean. */
export function showHelp(parent: HTMLElement, colours: HTMLElement) {
  const rows = KEYS.map(({ keys, text }) => {
    const names = keys.flatMap((it, i) => [...(i > 0 ? [" "] : []), el("kbd", {}, NAMES[it] ?? it)]);
    return el("tr", {}, el("th", { scope: "row" }, ...names), el("td", {}, text));
  });
  const mouse = el(
    "p",
    {},
    "Wheel: zoom. Shift and wheel, or sideways on a touch pad: move. Alt and wheel: scroll. Drag: move. Click: keep the tooltip. Double click: open the definition.",
  );
  const keys = el("table", { class: "keys" }, el("tbody", {}, ...rows));
  const all = el("div", { class: "help" }, keys, mouse, el("h2", {}, "Colours"), colours);
  const dialog = openDialog(parent, "Keys and mouse", all);
  const close = button("Close", "Close", () => dialog.close());
  dialog.append(el("div", { class: "actions" }, close));
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  close.focus();
}
