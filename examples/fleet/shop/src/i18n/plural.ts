// Which form of a word goes with a number.

import { currentLanguage } from "./language";

export function pluralForm(count: number): "one" | "few" | "many" {
  if (currentLanguage() === "ja") return "many";
  if (count === 1) return "one";
  return isFew(count) ? "few" : "many";
}

function isFew(count: number): boolean {
  return currentLanguage() !== "en" && count > 1 && count < 5;
}
