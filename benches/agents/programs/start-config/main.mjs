// Configuration is read and checked completely before the first answer.
import { readConfig } from "./config.mjs";

function answer(config, question) {
  return config.get(`option-${question}`) ?? "unknown";
}

const config = readConfig();
console.log(answer(config, 7), answer(config, 4711));
