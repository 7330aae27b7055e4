import { burn } from '../work';

export class Stock {
  left: number = $state(100);

  sell(): void {
    burn({ ms: 4 });
    this.left -= this.#step;
  }

  get #step(): number {
    burn({ ms: 2 });
    return 1;
  }
}
burn({ ms: 30 });
