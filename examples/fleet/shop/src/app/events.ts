// What happened on the page, counted for the people who run the shop.

export class EventQueue {
  private waiting: { name: string; at: number }[] = [];

  recordEvent(name: string, at: number): void {
    this.waiting.push({ name, at });
    if (this.waiting.length >= 50) this.flushEvents();
  }

  flushEvents(): number {
    const sent = compressEvents(this.waiting);
    this.waiting = [];
    return sent.size;
  }
}

export function compressEvents(events: readonly { name: string; at: number }[]): Map<string, number[]> {
  const byName = new Map<string, number[]>();
  for (const { name, at } of events) {
    const times = byName.get(name) ?? [];
    times.push(at);
    byName.set(name, times);
  }
  return byName;
}
