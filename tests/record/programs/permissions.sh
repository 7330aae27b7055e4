#- may read its folder
node --experimental-permission --allow-fs-read=$PWD/app/ app/main.js; echo $?
#- /app/main.js
console.log(typeof process.permission, process.permission.has('fs.read', __dirname), process.permission.has('fs.write'), process.permission.has('child'));
#- may read everything
node --experimental-permission --allow-fs-read='*' app/main.js; echo $?
#- /app/main.js
console.log(process.permission.has('fs.read', '/etc'), process.permission.has('fs.write', '/tmp'), process.permission.has('worker'));
for (const call of [() => require('fs').writeFileSync('x', ''), () => require('child_process').execSync('true'), () => new (require('worker_threads').Worker)('0', { eval: true })]) try { call(); console.log('could'); } catch (error) { console.log(error.code, error.permission); }
#- may do everything
node --experimental-permission --allow-fs-read='*' --allow-fs-write='*' --allow-child-process --allow-worker app/main.js; echo $?
#- /app/main.js
console.log(require('child_process').execSync('echo child').toString());
new (require('worker_threads').Worker)('console.log("worker")', { eval: true });
try { new (require('inspector').Session)().connect(); console.log('looked'); } catch (error) { console.log(error.code); }
#- may by the environment
NODE_OPTIONS="$NODE_OPTIONS --experimental-permission --allow-fs-read=$PWD/app/" node app/main.js; echo $?
#- /app/main.js
console.log(process.permission.has('fs.read', __dirname));
#- may by the environment of a child
node app/main.js
#- /app/main.js
const { spawnSync } = require('child_process');
spawnSync(process.execPath, ['--experimental-permission', `--allow-fs-read=${__dirname}/`, '-p', 'typeof process.permission'], { stdio: 'inherit' });
spawnSync(process.execPath, ['-p', 'typeof process.permission'], { stdio: 'inherit', env: { NODE_OPTIONS: `--experimental-permission --allow-fs-read=${__dirname}/` } });
spawnSync('sh', ['-c', `"${process.execPath}" --experimental-permission --allow-fs-read=${__dirname}/ -p 1`], { stdio: 'inherit' });
#- may with a value
node --experimental-permission=true --allow-fs-read=$PWD/app/ app/main.js; echo $?
#- /app/main.js
console.log('ran');
#- may from a script of npm
npm run --silent own; echo $?
#- /package.json
{"scripts": {"own": "node --experimental-permission --allow-fs-read=$PWD/app/ app/main.js"}}
#- /app/main.js
console.log('ran', typeof process.permission);
#- a policy
node --experimental-policy=policy.json app/main.js; echo $?
#- /policy.json
{"resources": {"./app/main.js": {"integrity": true, "dependencies": true}}}
#- /app/main.js
console.log('ran');
#- a policy by the environment
NODE_OPTIONS="$NODE_OPTIONS --no-warnings --experimental-policy=policy.json" node app/main.js; echo $?
#- /policy.json
{"onerror": "exit", "resources": {"./app/main.js": {"integrity": true, "dependencies": {"fs": true}}}}
#- /app/main.js
console.log('ran', typeof require('fs').readFileSync);
