// What the other runners can run as well: decorators and JSX.
import Section, { page } from "./page.tsx";
import type { Part } from "./plain.ts";
import { service } from "./service.ts";
import { typed } from "./typed.ts";

export const all: Record<string, Part> = { ...typed, page, service, section: () => Section({ title: "a & b" }).children.length };
