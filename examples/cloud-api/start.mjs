/**
 * Starts a server of this folder. Its files are TypeScript, which Node reads from 22.19 on; an older one hands over to the Node that `npm ci` brings to the workspace.
 *
 *   node examples/cloud-api/start.mjs cloud-server --port 8080 --state databases.json
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const servers = ['cloud-server', 'monitor-server'];
const [server, ...options] = process.argv.slice(2);
if (!servers.includes(server)) {
  console.error(`usage: node examples/cloud-api/start.mjs ${servers.join('|')} [options]`);
  process.exit(2);
}

const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 19);
const ofWorkspace = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));
if (!isNewEnough && !existsSync(ofWorkspace)) {
  console.error(
    `This needs Node 22.19 or newer, and this is ${process.versions.node}. Run npm ci in the workspace first: it brings its own.`,
  );
  process.exit(1);
}

const file = fileURLToPath(new URL(`./${server}.ts`, import.meta.url));
const child = spawn(isNewEnough ? process.execPath : ofWorkspace, [file, ...options], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  process.exitCode = code ?? 0;
});
