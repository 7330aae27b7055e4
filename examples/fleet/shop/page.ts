// The page %path%.

import { sample%Things%, sample%other.Things% } from "../data/samples";
import { %Thing%Store } from "../%thing%/store";
import { render%Things% } from "../%thing%/view";
import { %other.Thing%Store } from "../%other.thing%/store";
import { render%other.Things% } from "../%other.thing%/view";
import { translate } from "../i18n/translate";
import { section } from "../util/html";

export function load%Page%Page(count: number): [%Thing%Store, %other.Thing%Store] {
  return [new %Thing%Store(sample%Things%(count)), new %other.Thing%Store(sample%other.Things%(count))];
}

export function render%Page%Page(count: number): string {
  const [%things%, %other.things%] = load%Page%Page(count);
  const heading = `<h1>${%page%Heading(%things%.size)}</h1>`;
  return heading + section("%things%", render%Things%(%things%.page%Things%(0))) + section("%other.things%", render%other.Things%(%other.things%.sorted%other.Things%()));
}

function %page%Heading(count: number): string {
  return translate("page.%page%", { count });
}
