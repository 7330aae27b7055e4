// Tells whether the texts that ran are those of the files on the disk. Only V8's debugger knows all texts, and V8 hashes each script of
// Node when it is asked for one, which takes 20 to 30 ms: a program that is over soon and ran plain files is not asked.
'use strict';

const { existsSync } = require('fs');
const Module = require('module');
const { sep, win32 } = require('path');
const process = require('process');
const { fileURLToPath } = require('url');
const vm = require('vm');
const { onUse, wrap } = require('./unseen.cjs');

// How loaders of ES modules are named on the command line.
const LOADERS = /--((experimental-)?loader|import)\b/;
// What a piece asks for has no regular expressions (samples.cjs).
const DEPENDENCIES = ['/node_modules/', '\\node_modules\\'];
// Where Vite keeps dependencies that it bundled.
const BUNDLED = ['/deps/', '/deps_ssr/', '\\deps\\', '\\deps_ssr\\'];
const JAVASCRIPT = Module._extensions['.js'];
const { _compile } = Module.prototype;
let isMade = LOADERS.test([...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' '));

/** Notices from now on whether the program makes texts of its own for the names of files. */
exports.noticeLoaders = function noticeLoaders() {
  const noteMade = () => {
    isMade = true;
  };
  onUse(vm, noteMade);
  for (const register of ['register', 'registerHooks']) {
    wrap(Module, register, {
      apply(target, self, parameters) {
        noteMade();
        return Reflect.apply(target, self, parameters);
      },
    });
  }
};

/** Whether all that ran are files as they are. */
exports.isPlain = function isPlain({ nodes }) {
  if (isMade || Module._extensions['.js'] !== JAVASCRIPT || Module.prototype._compile !== _compile) return false;
  const isFile = (url) => url.startsWith('file:') || win32.isAbsolute(url);
  const frames = nodes.map((node) => node.callFrame);
  // Of code that was made the debugger tells who made more of it.
  if (frames.some(({ url, scriptId }) => !url && scriptId !== '0')) return false;
  const urls = new Set(frames.map((frame) => frame.url));
  return [...urls].every((url) => !isFile(url) || isElsewhere(url) || (isJavaScript(url) && existsSync(fileOf(url))));
};

/**
 * Whether the text of a script is not needed: it is ours, or a dependency's, which stays as it is. What a tool keeps there, such as
 * `node_modules/.nitro/dev/index.mjs`, is built again.
 */
exports.isElsewhere = isElsewhere;
function isElsewhere(url) {
  if (isOurs(url)) return true;
  const folder = DEPENDENCIES.find((folder) => url.includes(folder));
  if (!folder) return false;
  const inside = url.slice(url.lastIndexOf(folder) + folder.length);
  const isBuiltAgain = inside.startsWith('.') && !BUNDLED.some((folder) => inside.includes(folder));
  return !isBuiltAgain && existsSync(fileOf(url));
}

function isJavaScript(url) {
  return ['.js', '.cjs', '.mjs'].some((ending) => url.endsWith(ending));
}

/** V8's inspector calls modules by `file:` urls. */
exports.isOurs = isOurs;
function isOurs(url) {
  return fileOf(url).startsWith(__dirname + sep);
}

/** The file of a script, or something that is not a file. */
exports.fileOf = fileOf;
function fileOf(url) {
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : url;
  } catch {
    return url;
  }
}
