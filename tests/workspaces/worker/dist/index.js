var __defProp = Object.defineProperty;
var __name = (target, value) => __defProp(target, "name", { value, configurable: true });

// src/primes.ts
function primesBelow(limit) {
  const isComposite = new Uint8Array(limit);
  const primes = [];
  for (let number = 2; number < limit; number++) {
    if (isComposite[number]) continue;
    primes.push(number);
    cross(isComposite, number);
  }
  return primes;
}
__name(primesBelow, "primesBelow");
var cross = /* @__PURE__ */ __name((isComposite, prime) => {
  for (let multiple = prime * prime; multiple < isComposite.length; multiple += prime) isComposite[multiple] = 1;
}, "cross");

// src/routes.ts
var Route = class {
  constructor(parts, pattern) {
    this.parts = parts;
    this.pattern = pattern;
  }
  parts;
  pattern;
  static {
    __name(this, "Route");
  }
  matches(path) {
    return this.pattern.test(path);
  }
};
function parse(pattern) {
  const parts = pattern.split("/").filter((part) => part !== "");
  const source = parts.map((part) => part.startsWith(":") ? "([^/]+)" : escape(part)).join("/");
  return new Route(parts, new RegExp(`^/${source}$`));
}
__name(parse, "parse");
function escape(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
__name(escape, "escape");

// src/index.ts
var routes = [];
for (let number = 0; number < 2e4; number++) routes.push(parse(`/tea/${number % 7}/:name/${number}`));
var known = new Set(primesBelow(2e6));
var index_default = {
  fetch(request) {
    const { pathname } = new URL(request.url);
    const found = routes.find((route) => route.matches(pathname));
    return new Response(found ? `${found.parts.length} of ${known.size}` : "none", { status: found ? 200 : 404 });
  }
};
export {
  index_default as default
};
//# sourceMappingURL=index.js.map
