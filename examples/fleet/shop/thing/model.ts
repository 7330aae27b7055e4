// %Thing%: %what%.

import { hashText } from "../util/text";

export interface %Thing% {
  id: string;
  %label%: string;
  %price%: number;
  %count%: number;
  %time%: number;
  %flag%: boolean;
}

export function create%Thing%(id: string, known: Partial<%Thing%> = {}): %Thing% {
  return { id, %label%: "", %price%: 0, %count%: 1, %time%: 0, %flag%: false, ...known };
}

export function copy%Thing%(%thing%: %Thing%): %Thing% {
  return { ...%thing% };
}

export function is%Thing%(value: unknown): value is %Thing% {
  const it = value as %Thing% | null;
  return typeof it === "object" && it !== null && typeof it.id === "string" && typeof it.%price% === "number";
}

export function parse%Thing%(json: string): %Thing% | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return is%Thing%(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function serialize%Thing%(%thing%: %Thing%): string {
  return JSON.stringify(%thing%, ["id", "%label%", "%price%", "%count%", "%time%", "%flag%"]);
}

export function sameAs%Thing%(a: %Thing%, b: %Thing%): boolean {
  return a.id === b.id && a.%label% === b.%label% && a.%price% === b.%price% && a.%count% === b.%count%;
}

/** The newer one of two versions, with what only the other one knows. */
export function merge%Thing%(a: %Thing%, b: %Thing%): %Thing% {
  const [older, newer] = a.%time% <= b.%time% ? [a, b] : [b, a];
  return { ...older, ...newer, %label%: newer.%label% || older.%label% };
}

export function hash%Thing%(%thing%: %Thing%): number {
  let hash = hashText(%thing%.id);
  hash = (hash * 31 + %thing%.%price%) | 0;
  return (hash * 31 + %thing%.%count%) | 0;
}
