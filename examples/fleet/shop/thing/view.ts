// %Words% as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { %Thing% } from "./model";
import { total%Price%, validate%Thing% } from "./rules";

export function %thing%Title(%thing%: %Thing%): string {
  return escapeHtml(%thing%.%label% || translate("%thing%.untitled"));
}

export function %thing%%Price%Cell(%thing%: %Thing%): string {
  return `<td class="money">${formatCents(%thing%.%price%)}</td>`;
}

export function %thing%%Count%Cell(%thing%: %Thing%): string {
  return `<td class="count">${formatCount(%thing%.%count%)}</td>`;
}

export function %thing%Classes(%thing%: %Thing%): string {
  return joinClasses(["%thing%", %thing%.%flag% && "%class%", %thing%.%count% === 0 && "none"]);
}

export function render%Thing%Row(%thing%: %Thing%): string {
  const cells = %thing%%Price%Cell(%thing%) + %thing%%Count%Cell(%thing%);
  return `<tr class="${%thing%Classes(%thing%)}"><th>${%thing%Title(%thing%)}</th>${cells}<td>${formatDate(%thing%.%time%)}</td></tr>`;
}

export function render%Thing%Problems(%thing%: %Thing%, now: number): string {
  const problems = validate%Thing%(%thing%, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function render%Things%(%things%: readonly %Thing%[]): string {
  if (%things%.length === 0) return render%Things%Empty();
  let rows = "";
  for (const %thing% of %things%) rows += render%Thing%Row(%thing%);
  return `<table>${rows}</table>${render%Things%Footer(%things%)}`;
}

export function render%Things%Footer(%things%: readonly %Thing%[]): string {
  const count = translate("%thing%.count", { count: %things%.length });
  return `<footer>${count} · ${formatCents(total%Price%(%things%))}</footer>`;
}

function render%Things%Empty(): string {
  return `<p class="empty">${translate("%thing%.empty")}</p>`;
}
