// Amounts of money, which are whole cents everywhere else.

import { groupDigits } from "./numbers";
import { currentLanguage } from "../i18n/language";

const SIGNS: Record<string, string> = { en: "€", de: "€", ja: "¥" };

export function formatCents(cents: number): string {
  const [whole, rest] = splitCents(Math.abs(cents));
  const amount = `${groupDigits(whole)}${decimalMark()}${String(rest).padStart(2, "0")}`;
  return placeSign(cents < 0 ? `-${amount}` : amount);
}

export function splitCents(cents: number): [number, number] {
  return [Math.trunc(cents / 100), cents % 100];
}

export function decimalMark(): string {
  return currentLanguage() === "de" ? "," : ".";
}

function placeSign(amount: string): string {
  const sign = SIGNS[currentLanguage()] ?? "€";
  return currentLanguage() === "de" ? `${amount} ${sign}` : `${sign}${amount}`;
}

export function parseCents(text: string): number | undefined {
  const match = /^(-?)(\d+)(?:[.,](\d{1,2}))?$/.exec(text.trim());
  if (!match) return undefined;
  const cents = Number(match[2]) * 100 + Number((match[3] ?? "0").padEnd(2, "0"));
  return match[1] === "-" ? -cents : cents;
}

/** Shares of an amount that add up to it. */
export function shareCents(cents: number, parts: number): number[] {
  const least = Math.floor(cents / parts);
  const left = cents - least * parts;
  return Array.from({ length: parts }, (_, at) => least + (at < left ? 1 : 0));
}
