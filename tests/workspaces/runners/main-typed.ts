import { run } from "./plain.ts";
import { typed } from "./typed.ts";

run(typed).then((done) => console.log(done.join(", ")));
