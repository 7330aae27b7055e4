import { all } from "./all.ts";
import { run } from "./plain.ts";

test("every part runs", async () => {
  expect((await run(all)).length).toBe(7);
});
