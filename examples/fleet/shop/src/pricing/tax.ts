// Value added tax by country and kind of product.

import { roundTo } from "../format/numbers";

const RATES: Record<string, [normal: number, reduced: number]> = {
  DE: [0.19, 0.07],
  AT: [0.2, 0.1],
  FR: [0.2, 0.055],
  JP: [0.1, 0.08],
};

export function taxRate(country: string, isReduced: boolean): number {
  const rates = RATES[country] ?? [0, 0];
  return rates[isReduced ? 1 : 0];
}

export function taxIncluded(cents: number, country: string, isReduced = false): number {
  const rate = taxRate(country, isReduced);
  return Math.round(cents - cents / (1 + rate));
}

export function netCents(cents: number, country: string, isReduced = false): number {
  return cents - taxIncluded(cents, country, isReduced);
}

export function taxTable(amounts: readonly number[], country: string): { rate: number; cents: number }[] {
  return [false, true].map((isReduced) => taxRow(amounts, country, isReduced));
}

function taxRow(amounts: readonly number[], country: string, isReduced: boolean): { rate: number; cents: number } {
  let cents = 0;
  for (const amount of amounts) cents += taxIncluded(amount, country, isReduced);
  return { rate: roundTo(taxRate(country, isReduced) * 100, 1), cents };
}
