// What holds for cart lines, and what is told to people when it does not.

import { translate } from "../i18n/translate";
import { collapseSpaces, foldCase } from "../util/text";
import type { CartLine } from "./model";

export function checkLabel(line: CartLine): string | undefined {
  if (line.label.trim() === "") return translate("line.label.missing");
  if (line.label.length > 120) return translate("line.label.long");
  return undefined;
}

export function checkUnitPrice(line: CartLine): string | undefined {
  const fits = Number.isSafeInteger(line.unitPrice) && line.unitPrice >= 0;
  return fits ? undefined : translate("line.unitPrice.wrong");
}

export function checkQuantity(line: CartLine): string | undefined {
  return line.quantity >= 0 && line.quantity < 10_000 ? undefined : translate("line.quantity.wrong");
}

export function checkChangedAt(line: CartLine, now: number): string | undefined {
  return line.changedAt > now + 86_400_000 ? translate("line.changedAt.future") : undefined;
}

export function validateCartLine(line: CartLine, now: number): string[] {
  const found: string[] = [];
  for (const problem of [checkLabel(line), checkUnitPrice(line), checkQuantity(line), checkChangedAt(line, now)]) {
    if (problem !== undefined) found.push(problem);
  }
  return found;
}

export function normalizeCartLine(line: CartLine): CartLine {
  return { ...line, label: collapseSpaces(line.label), quantity: Math.max(0, Math.round(line.quantity)) };
}

export function compareCartLine(a: CartLine, b: CartLine): number {
  return a.unitPrice - b.unitPrice || (foldCase(a.label) < foldCase(b.label) ? -1 : 1);
}

export function totalUnitPrice(lines: readonly CartLine[]): number {
  let total = 0;
  for (const line of lines) {
    if (!line.isGift) total += line.unitPrice * line.quantity;
  }
  return total;
}

export function groupCartLinesByLabel(lines: readonly CartLine[]): Map<string, CartLine[]> {
  const groups = new Map<string, CartLine[]>();
  for (const line of lines) {
    const key = foldCase(line.label).slice(0, 1);
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return groups;
}
