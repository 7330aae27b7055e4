import { burn } from '../../work';
import { tax } from './tax.js';

export enum Kind { Gross, Net }

export function total(prices: number[], kind: Kind = Kind.Gross): number {
  burn({ ms: 2 });
  return prices.map((it: number) => tax(it) + kind).reduce((a, b) => a + b, 0);
}
burn({ ms: 30 });
