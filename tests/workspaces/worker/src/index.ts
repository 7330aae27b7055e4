import { primesBelow } from "./primes";
import { parse, type Route } from "./routes";

// What a worker does before its first request counts against the limit for its start.
const routes: Route[] = [];
for (let number = 0; number < 20_000; number++) routes.push(parse(`/tea/${number % 7}/:name/${number}`));

const known = new Set<number>(primesBelow(2_000_000));

export default {
  fetch(request: Request): Response {
    const { pathname } = new URL(request.url);
    const found = routes.find((route) => route.matches(pathname));
    return new Response(found ? `${found.parts.length} of ${known.size}` : "none", { status: found ? 200 : 404 });
  },
};
