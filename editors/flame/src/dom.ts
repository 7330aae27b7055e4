// Makes elements. Texts only ever become text: nothing in a profile is markup.

type Attributes = Record<string, string | number | boolean | ((event: never) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const it = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") it.addEventListener(name, value as EventListener);
    else if (value !== false) it.setAttribute(name, value === true ? "" : String(value));
  }
  it.append(...children);
  return it;
}

export function button(
  text: string,
  label: string,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return el("button", { type: "button", "aria-label": label, title: label, click: onClick, ...attributes }, text);
}

/** Keeps a context's canvas as large as it is shown, in the screen's pixels. Whether it changed. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number): boolean {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width === wide && canvas.height === high) return false;
  canvas.width = wide;
  canvas.height = high;
  return true;
}

/** At most one call before each picture on the screen, however often it is asked for. */
export function oncePerFrame(draw: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };
}
