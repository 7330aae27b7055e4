// The tooltip of a frame. A click pins it; then it has buttons, and the keyboard reaches them.

import { button, el } from "./dom";
import type { Info } from "./info";
import { shown } from "./text";

export interface Action {
  text: string;
  label: string;
  run: () => void;
}

export class Tooltip {
  readonly element = el("div", { class: "tooltip", hidden: true });
  isPinned = false;

  /** Shows it near a point of its parent, inside of it. */
  show(info: Info, x: number, y: number, actions: Action[] | null) {
    this.isPinned = actions !== null;
    const { element } = this;
    element.classList.toggle("pinned", this.isPinned);
    const rows = info.rows.flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, value)]);
    const parts: Node[] = [el("h2", {}, shown(info.name)), el("dl", {}, ...rows)];
    if (actions) {
      const buttons = actions.map(({ text, label, run }) => button(text, label, run));
      parts.push(el("div", { class: "actions" }, ...buttons));
      element.setAttribute("role", "dialog");
      element.setAttribute("aria-label", shown(info.name, 80));
    } else {
      element.setAttribute("role", "tooltip");
    }
    element.replaceChildren(...parts);
    element.hidden = false;
    const parent = element.offsetParent;
    const [width, height] = [parent?.clientWidth ?? innerWidth, parent?.clientHeight ?? innerHeight];
    element.style.left = `${Math.max(4, Math.min(x + 12, width - element.offsetWidth - 4))}px`;
    const below = y + 16;
    const top = below + element.offsetHeight < height ? below : y - element.offsetHeight - 12;
    element.style.top = `${Math.max(4, Math.min(top, height - element.offsetHeight - 4))}px`;
  }

  focus() {
    this.element.querySelector("button")?.focus();
  }

  hide() {
    this.isPinned = false;
    this.element.hidden = true;
  }
}
