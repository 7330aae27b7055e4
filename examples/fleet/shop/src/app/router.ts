// From an address to a page.

import { pages } from "../pages/index";
import { translate } from "../i18n/translate";

export interface Route {
  path: string;
  query: Map<string, string>;
}

export function parseRoute(address: string): Route {
  const [path = "/", search = ""] = address.split("?");
  return { path: trimSlash(path), query: parseQuery(search) };
}

export function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

export function parseQuery(search: string): Map<string, string> {
  const query = new Map<string, string>();
  for (const pair of search.split("&")) {
    const [name, value = ""] = pair.split("=");
    if (name) query.set(decodeURIComponent(name), decodeURIComponent(value));
  }
  return query;
}

export function renderRoute(route: Route): string {
  const page = pages[route.path];
  if (!page) return notFound(route.path);
  return page(Number(route.query.get("count") ?? 40));
}

function notFound(path: string): string {
  return `<p>${translate("page.missing", { path })}</p>`;
}
