// Numbers for people.

import { currentLanguage } from "../i18n/language";

export function groupDigits(whole: number): string {
  const digits = String(whole);
  const mark = currentLanguage() === "de" ? "." : ",";
  let grouped = "";
  for (let at = 0; at < digits.length; at++) {
    if (at > 0 && (digits.length - at) % 3 === 0) grouped += mark;
    grouped += digits[at];
  }
  return grouped;
}

export function formatCount(count: number): string {
  return count < 1_000 ? String(count) : groupDigits(count);
}

export function formatPercent(share: number): string {
  return `${roundTo(share * 100, 1)} %`;
}

export function roundTo(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

export function ordinal(number: number): string { //42
  const teens = number % 100 >= 11 && number % 100 <= 13; //42
  const ending = teens ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th"); //42
  return `${number}${ending}`; //42
} //42
//42