// Lists to choose from, with a field that filters them: threads, of which there may be hundreds, functions, and actions.

import { button, el } from "./dom";
import { shown } from "./text";

export interface Item {
  text: string;
  detail: string;
  isChosen: boolean;
}

interface Options {
  title: string;
  items: Item[];
  /** Several may be chosen, and then it is closed by a button. */
  several: boolean;
  onChoose: (chosen: number[]) => void;
}

/** More are not listed: type to filter. */
const MOST = 400;

/** Opens a list over the page. */
export function choose(parent: HTMLElement, { title, items, several, onChoose }: Options) {
  const chosen = new Set(items.flatMap((it, i) => (it.isChosen ? [i] : [])));
  const filter = el("input", {
    type: "search",
    placeholder: "Filter",
    "aria-label": `Filter: ${title}`,
    spellcheck: "false",
  });
  const list = el("div", { class: "items", role: "group", "aria-label": title });
  const more = el("p", { class: "muted" });
  const finish = (result: number[] | null) => {
    dialog.close();
    if (result) onChoose(result);
  };
  const fill = () => {
    const wanted = filter.value.toLowerCase();
    const found = items.flatMap((it, i) => (`${it.text} ${it.detail}`.toLowerCase().includes(wanted) ? [i] : []));
    const rows = found.slice(0, MOST).map((i) =>
      row(items[i], several, chosen.has(i), (isOn) => {
        if (!several) return finish([i]);
        if (isOn) chosen.add(i);
        else chosen.delete(i);
      }),
    );
    list.replaceChildren(...rows);
    more.textContent =
      found.length === 0 ? "No match." : found.length > MOST ? `${found.length - MOST} more: type to filter.` : "";
  };
  filter.addEventListener("input", fill);
  const buttons = el("div", { class: "actions" });
  const all = (isOn: boolean) => {
    const wanted = filter.value.toLowerCase();
    items.forEach((it, i) => {
      if (!`${it.text} ${it.detail}`.toLowerCase().includes(wanted)) return;
      if (isOn) chosen.add(i);
      else chosen.delete(i);
    });
    fill();
  };
  if (several) {
    buttons.append(
      button("All", "All: choose all that are listed", () => all(true)),
      button("None", "None: choose none of those that are listed", () => all(false)),
      button("Apply", "Apply: show what is chosen", () => finish([...chosen].sort((a, b) => a - b))),
    );
  }
  buttons.append(button("Cancel", "Cancel: change nothing", () => finish(null)));
  const dialog = openDialog(parent, title, filter, list, more, buttons);
  dialog.addEventListener("keydown", (event) => walk(event, dialog, filter));
  fill();
  filter.focus();
}

function row(item: Item, several: boolean, isChosen: boolean, onChange: (isOn: boolean) => void): HTMLElement {
  const detail = el("span", { class: "muted" }, shown(item.detail, 120));
  if (!several) {
    return el(
      "button",
      { type: "button", class: "item", "aria-pressed": String(isChosen), click: () => onChange(true) },
      shown(item.text, 120),
      " ",
      detail,
    );
  }
  const box = el("input", { type: "checkbox" });
  box.checked = isChosen;
  box.addEventListener("change", () => onChange(box.checked));
  return el("label", { class: "item" }, box, " ", shown(item.text, 120), " ", detail);
}

/** Up and down lead through the list; Enter in the field takes its first item. */
function walk(event: KeyboardEvent, dialog: HTMLElement, filter: HTMLInputElement) {
  event.stopPropagation();
  const items = [...dialog.querySelectorAll<HTMLElement>(".items input, .items button")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (event.key === "ArrowDown") items[Math.min(items.length - 1, at + 1)]?.focus();
  else if (event.key === "ArrowUp") (at <= 0 ? filter : items[at - 1]).focus();
  else if (event.key === "Enter" && document.activeElement === filter) items[0]?.click();
  else return;
  event.preventDefault();
}

/** A dialog that is gone when it is closed. The browser gives the focus back at once; this event comes later, when it may be elsewhere. */
export function openDialog(parent: HTMLElement, title: string, ...content: Node[]): HTMLDialogElement {
  const dialog = el("dialog", { "aria-label": title }, el("h2", {}, title), ...content);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  parent.append(dialog);
  dialog.showModal();
  return dialog;
}
