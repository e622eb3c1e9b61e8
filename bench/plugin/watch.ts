/**
 * What `kubectl ordinal status --watch` takes of a processor where there are many resources, at rest and while some change.
 *
 *   node --conditions=ordinal-source bench/plugin/watch.ts [--resources 500] [--seconds 20]
 *
 * The plugin runs as its bundle, a process of its own; the cluster is simulated, in this process. Processor time is user and system time of the plugin's process, as Linux counts
 * it. Exits 1 where it is 100 ms for each second or more.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFlags } from '../../tools/flags/flags.ts';
import { pluginWorld } from '../../tools/kubectl-ordinal/test/plugin-world.ts';
import { caches } from '../../tools/kubectl-ordinal/test/resources.ts';
import { manyResources } from './many.ts';

const { values } = readFlags('npm run bench:status -- [--resources 500] [--seconds 20]', {
  options: { resources: { type: 'string', default: '500' }, seconds: { type: 'string', default: '20' } },
});
const [resources, seconds] = [Number(values.resources), Number(values.seconds)];
const limitMs = 100;
/** Each second so many statuses change. */
const changesEachSecond = 10;
/** How long it may take until all is drawn once, in milliseconds. */
const startsMs = 120_000;
/** How long after it is left out: what runs often is compiled then, in milliseconds. */
const settlesMs = 10_000;

/** User and system time of a process, in milliseconds: the 14th and 15th field, in hundredths of a second. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const world = await pluginWorld();
await manyResources(world, resources);
const folder = mkdtempSync(join(tmpdir(), 'ordinal-bench-plugin-'));
const pluginFolder = join(import.meta.dirname, '../../tools/kubectl-ordinal');
execFileSync(process.execPath, [join(pluginFolder, 'bundle.ts'), `--out=${folder}`]);
const child = spawn(process.execPath, [join(folder, 'kubectl-ordinal.mjs'), 'status', '--watch'], {
  env: { KUBECONFIG: world.kubeconfig, FORCE_COLOR: '1' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const { pid } = child;
if (pid === undefined) throw new Error('the plugin does not start');
let drawn = 0;
const lines = new Set<string>();
child.stdout.setEncoding('utf8').on('data', (text: string) => {
  drawn += text.length;
  for (const [name = ''] of text.matchAll(/shop\/\S+/g)) lines.add(name);
});

/** Milliseconds of processor time for each second, while this is done once in each part of a second. */
async function measure(what: string, change?: (number: number) => Promise<unknown>): Promise<boolean> {
  const [began, before, drawnBefore] = [performance.now(), cpuMs(pid ?? 0), drawn];
  for (let number = 0; performance.now() - began < seconds * 1_000; number += 1) {
    await change?.(number);
    await sleep(1_000 / changesEachSecond);
  }
  const passed = (performance.now() - began) / 1_000;
  const each = (cpuMs(pid ?? 0) - before) / passed;
  console.log(`| ${what} | ${each.toFixed(0)} ms | ${((drawn - drawnBefore) / passed / 1_000).toFixed(0)} kB |`);
  return each < limitMs;
}

// A busy machine takes its time to start it.
for (let waited = 0; lines.size < resources && waited < startsMs; waited += 100) await sleep(100);
await sleep(settlesMs);
if (lines.size < resources) throw new Error(`${lines.size} of ${resources} resources were drawn`);
console.log(`load ${loadavg()[0]?.toFixed(1) ?? ''}, ${resources} resources, ${seconds} s each`);
console.log('| | processor time of each second | drawn in it |\n|---|---:|---:|');
const isGood = [
  await measure('nothing changes', undefined),
  await measure(`${changesEachSecond} statuses change each second`, (number) => {
    const name = `sessions-${1 + (number % (resources / 2 - 1))}`;
    const blockedBy = `gate ready-for-shutdown: answer ${number}`;
    const body = { status: { upgrade: { blockedBy } } };
    return caches(world.cluster).status.patch(name, { type: 'merge', body });
  }),
];
child.kill();
await world.stop();
rmSync(folder, { recursive: true });
if (isGood.includes(false)) process.exitCode = 1;
