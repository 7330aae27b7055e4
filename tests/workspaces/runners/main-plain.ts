import { plain, run } from "./plain.ts";

run(plain).then((done) => console.log(done.join(", ")));
