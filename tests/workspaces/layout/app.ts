// Writes and reads sizes by turns, in each of the ways in which a function can be called.
class Row {
  private state = 0;
  constructor(private readonly box: HTMLElement) {}
  setState(state: number): void {
    this.state = state;
    this.box.textContent = `row ${this.state}`;
    this.didUpdate();
  }
  private didUpdate(): void {
    const { width } = this.box.getBoundingClientRect();
    this.box.style.height = `${(width % 30) + 10}px`;
  }
  get height(): number {
    return this.box.offsetHeight;
  }
}

function colourOf(box: HTMLElement): string {
  box.classList.toggle('on');
  return getComputedStyle(box).color;
}

const boxes = [...document.querySelectorAll('p')];
const rows = boxes.map((box) => new Row(box));
for (const row of rows) row.setState(7);
console.log(rows.reduce((sum, row) => sum + row.height, 0), boxes.map(colourOf));

const worker = new Worker('worker.js');
worker.onmessage = async ({ data: width }: MessageEvent<number>) => {
  await null;
  boxes[0].style.width = `${width}px`;
  boxes[0].scrollIntoView();
};
