export interface Order {
  id: number;
  total: number;
  lines?: { note?: string }[];
}

type Listener = (order: Order) => void;

export class Queue {
  private waiting: Order[] = [];
  #listeners = new Set<Listener>();

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  push(order: Order): void {
    this.waiting.push(order);
    this.#listeners.forEach((listener) => listener(order));
  }

  async *drain(limit = Infinity): AsyncGenerator<Order> {
    while (this.waiting.length && limit-- > 0) {
      yield this.waiting.shift()!;
      await null;
    }
  }

  get length(): number {
    return this.waiting.length;
  }
}

export default class Till {
  private sum = 0;
  readonly tax = (total: number): number => Math.round(total * 19) / 100;

  async take(order: Order): Promise<number> {
    const price = await this.price(order);
    this.sum += price + this.tax(price);
    return price;
  }

  private async price(order: Order): Promise<number> {
    let price = order.total;
    for (let i = 0; i < 300; i++) price = (price * 1.01) % 1000 + (order.lines?.[0]?.note?.length ?? 0);
    return price;
  }

  get total(): number {
    return this.sum;
  }
}

export async function orders(): Promise<number> {
  const [queue, till] = [new Queue(), new Till()];
  let seen = 0;
  const stop = queue.on((order) => {
    for (let i = 0; i < 50; i++) seen += Math.hypot(order.total, i);
  });
  for (let id = 0; id < 30; id++) queue.push({ id, total: id * 1.5, lines: id % 3 ? [{ note: "n" }] : undefined });
  stop();
  for await (const order of queue.drain(25)) await till.take(order);
  return till.total + queue.length + seen;
}
