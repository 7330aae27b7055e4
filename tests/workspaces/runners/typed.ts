// What Node's own transform of types can run as well: enums, namespaces and parameter properties.
import { money } from "./money.ts";
import { plain, type Part } from "./plain.ts";

export const typed: Record<string, Part> = { ...plain, money };
