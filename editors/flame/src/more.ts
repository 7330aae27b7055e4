// The menu of what has no room in the toolbar.

import { button, el } from "./dom";
import type { Command } from "./keys";

export interface Entry {
  text: string;
  /** What is said of it to those who hear the page, and in its tooltip. */
  label: string;
  command: Command;
  /** Whether a switch is on; null: it is not a switch. */
  isOn: boolean | null;
}

export class MoreMenu {
  readonly element = el("div", { class: "more", role: "menu", "aria-label": "More actions", popover: "auto" });
  readonly button = button("…", "… More actions", () => {}, { "aria-haspopup": "menu", "aria-expanded": "false" });

  constructor(
    private readonly entries: () => Entry[],
    private readonly run: (command: Command) => void,
  ) {
    // The browser closes it by Escape and by a click beside it, and gives the focus back.
    this.button.popoverTargetElement = this.element;
    this.element.addEventListener("beforetoggle", ({ newState }) => {
      if (newState === "open") this.fill();
    });
    this.element.addEventListener("toggle", ({ newState }) => {
      this.button.setAttribute("aria-expanded", String(newState === "open"));
      if (newState === "open") this.items[0]?.focus();
    });
    this.element.addEventListener("keydown", (event) => this.press(event));
  }

  private get items(): HTMLElement[] {
    return [...this.element.querySelectorAll("button")];
  }

  private fill() {
    const { bottom, right } = this.button.getBoundingClientRect();
    this.element.style.top = `${bottom + 2}px`;
    this.element.style.right = `${document.documentElement.clientWidth - right}px`;
    this.element.replaceChildren(...this.entries().map((it) => this.item(it)));
  }

  private item({ text, label, command, isOn }: Entry): HTMLElement {
    const choose = () => {
      this.element.hidePopover();
      this.run(command);
    };
    const role = isOn === null ? { role: "menuitem" } : { role: "menuitemcheckbox", "aria-checked": String(isOn) };
    return button(text, label, choose, { class: "item", tabindex: -1, ...role });
  }

  /** Up and down lead through the entries; keys of the page do nothing here. */
  private press(event: KeyboardEvent) {
    event.stopPropagation();
    const { items } = this;
    const at = items.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    if (event.key === "Tab") this.element.hidePopover();
    if (moves[event.key] === undefined) return;
    event.preventDefault();
    items[moves[event.key]].focus();
  }
}
