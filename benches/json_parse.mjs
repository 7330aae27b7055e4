// What every tool in JavaScript pays before it does anything: node json_parse.mjs FILE
import { readFileSync } from 'node:fs';

JSON.parse(readFileSync(process.argv[2], 'utf8'));
