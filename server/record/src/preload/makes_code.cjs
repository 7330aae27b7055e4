// Tells whether a program is about to make code by `eval` or `new Function`: who makes it is only known to a debugger that is there
// by then, and it costs a short program too much to have one for nothing.
'use strict';

const { existsSync, readFileSync, statSync } = require('fs');
const { dirname, join } = require('path');
const process = require('process');

const MAKES_CODE = /\b(eval|Function)\)?\s*\(/;
const OWN_MODULE = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.[^'"]*)['"]/g;
const ENDINGS = ['', '.js', '.ts', '.cjs', '.mjs', '/index.js'];
// Larger programs run for so long that a debugger does not matter.
const MOST_FILES = 16;
const MOST_BYTES = 256 * 1024;

/** Whether the main script does, or a module beside it that it loads; packages are not looked into. */
exports.makesCode = function makesCode() {
  try {
    if (MAKES_CODE.test(process.execArgv.join(' '))) return true;
    // The path of the main script may lack its ending.
    const files = new Set([process.argv[1]].filter(Boolean).map(found).filter(Boolean));
    let bytes = 0;
    for (const file of files) {
      bytes += statSync(file).size;
      if (files.size > MOST_FILES || bytes > MOST_BYTES) return true;
      const text = readFileSync(file, 'utf8');
      if (MAKES_CODE.test(text)) return true;
      for (const [, module] of text.matchAll(OWN_MODULE)) files.add(found(join(dirname(file), module)) ?? file);
    }
  } catch {
    // It cannot be read, or is gone.
  }
  return false;
};

function found(path) {
  return ENDINGS.map((ending) => path + ending).find((file) => existsSync(file) && statSync(file).isFile());
}
