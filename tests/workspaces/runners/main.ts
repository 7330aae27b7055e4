import { all } from "./all.ts";
import { run } from "./plain.ts";

run(all).then((done) => console.log(done.join(", ")));
