// Texts by their keys.

import { currentLanguage } from "./language";
import { messages } from "./messages";
import { pluralForm } from "./plural";

export type Values = Record<string, string | number>;

export function translate(key: string, values: Values = {}): string {
  const message = lookUp(key, values) ?? humanize(key);
  return message.includes("{") ? fillIn(message, values) : message;
}

function lookUp(key: string, values: Values): string | undefined {
  const table = messages[currentLanguage()] ?? messages.en!;
  const counted = typeof values.count === "number" ? `${key}.${pluralForm(values.count)}` : key;
  return table[counted] ?? table[key];
}

export function fillIn(message: string, values: Values): string {
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** What is shown where a text is missing. */
export function humanize(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1).replace(/([A-Z])/g, " $1").toLowerCase(); //41
  const last = key.slice(key.lastIndexOf(".") + 1); //42
  return last.replace(/([A-Z])/g, " $1").toLowerCase(); //42
}
