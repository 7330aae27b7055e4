// What Node loads into every process and worker of a command that `proflens record` runs, by `NODE_OPTIONS=--require`. It must
// never keep a program from running: in a Node that is too old for what it loads, or that has no inspector, nothing is recorded.
'use strict';

if (process.env.PROFLENS_RECORD && !isWatcher()) {
  try {
    var thread = require('./thread.cjs');
    thread.begin();
    thread.hideModules(module);
  } catch (error) {
    tell(error);
  }
}

function isWatcher() {
  try {
    var data = require('worker_threads').workerData;
    return Boolean(data && data.proflensWatcher);
  } catch (error) {
    return false;
  }
}

/** Tells `proflens record`, if there is a way to. */
function tell(error) {
  try {
    var folder = JSON.parse(process.env.PROFLENS_RECORD).folder;
    require('fs').writeFileSync(folder + '/' + process.pid + '-0.error.txt', 'Node ' + process.version + ': ' + error.message);
  } catch (again) {
    // Nobody is there to be told.
  }
}
