// `npm run demo`: the operator as it ships at its main job, live, on a simulated cluster.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Assertions } from './assertions.ts';
import { startReal } from './cluster/real.ts';
import { startSimulated } from './cluster/simulated.ts';
import { play } from './demo.ts';
import { narrate } from './narrator.ts';
import { OperatorProcess } from './operator.ts';
import { Screen } from './screen.ts';
import { connectTo, startOutside, surroundingsOf } from './stage.ts';
import type { Stage } from './stage.ts';
import { readFlags } from '../flags/flags.ts';

const defaultImages = 'docker.io/library/node:22-alpine,docker.io/library/node:24-alpine';

const usage = `npm run demo [-- --keep] [-- --metrics-port=PORT] [-- --cluster [--images=BEFORE,AFTER]]

Plays the main job of the operator on a simulated cluster that serves HTTP, in half a minute, and asserts what must hold.

  --keep      leaves the cluster and the operator up afterwards, and prints the kubeconfig to use
  --metrics-port  where the operator serves its metrics on this machine: nowhere by default
  --cluster   plays on the cluster of your current kubeconfig instead, in the namespace ordinal-demo, and takes off it afterwards what it has put there. The
              operator runs on this machine, with the permissions of the install manifest
  --images    two images of one repository that hold Node and that the cluster can pull: ${defaultImages}
  --help      prints this`;

const signals = ['SIGINT', 'SIGTERM'] as const;
const started = performance.now();
const seconds = (): number => (performance.now() - started) / 1000;
const screen = new Screen(
  {
    write: (text) => void process.stdout.write(text),
    isLive: process.stdout.isTTY,
    hasColours: (process.stdout.isTTY || process.env['FORCE_COLOR'] === '1') && process.env['NO_COLOR'] === undefined,
    columns: process.stdout.columns,
  },
  seconds,
);

interface Options {
  readonly cluster: boolean;
  readonly images: string;
  readonly 'metrics-port': string;
}

/** The operator's program, made from the sources as they are. */
async function bundle(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../apps/operator/bundle.ts')]);
}

async function setStage(
  folder: string,
  options: Options,
): Promise<{ readonly stage: Stage; readonly silence: () => void }> {
  const starting = options.cluster ? startReal(folder, options.images) : startSimulated(folder);
  const [outside, cluster] = await Promise.all([startOutside(), starting, bundle()]);
  screen.title(`The operator as it ships, and ${cluster.title}`);
  const surroundings = surroundingsOf(cluster, outside);
  const seen = await connectTo(cluster);
  const silence = narrate(seen.watcher, screen);
  const operator = new OperatorProcess({
    kubeconfig: cluster.operatorKubeconfig,
    namespace: surroundings.namespace,
    metricsPort: Number(options['metrics-port']),
    logFile: join(folder, 'operator.log'),
  });
  const begun = seconds();
  await operator.start();
  screen.line('operator', `ready after ${(seconds() - begun).toFixed(1)} s, as process ${operator.pid}`, 'good');
  const stage = { screen, assertions: new Assertions(), cluster, outside, surroundings, operator, ...seen };
  return { stage, silence };
}

function report({ assertions }: Stage): void {
  screen.title('What was asserted');
  for (const line of assertions.table()) screen.row(line, line.startsWith('ok') ? 'plain' : 'bad');
  const failed = assertions.made.filter(({ holds }) => !holds).length;
  screen.text(`\n${assertions.made.length - failed} passed, ${failed} failed\nin ${seconds().toFixed(0)} s`);
}

const next = `
What to try next
  npm run demo -- --keep        the same, and then kubectl on the cluster that it leaves up
  npm test                      what every part promises, thousands of fault histories among it
  npm run e2e                   the same job on a real Kubernetes with real Redis, PostgreSQL and volumes
  npm run synth                 dist/install.yaml, to install the operator in a cluster of yours
  examples/                     your own operator, cdk8s constructs, code from foreign CRDs
`;

async function keepUp({ cluster, surroundings }: Stage): Promise<void> {
  screen.text(`
The cluster and the operator stay up until you press Ctrl-C:

  export KUBECONFIG=${cluster.kubeconfig}
  kubectl -n ${surroundings.namespace} get ordinal,pods
  kubectl -n ${surroundings.namespace} patch clusteredcache my-cache --type merge -p '{"spec":{"image":"${surroundings.cache[0]}"}}'
`);
  await new Promise<void>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
  });
}

async function main(): Promise<void> {
  const { values } = readFlags(usage, {
    options: {
      keep: { type: 'boolean', default: false },
      cluster: { type: 'boolean', default: false },
      images: { type: 'string', default: defaultImages },
      'metrics-port': { type: 'string', default: '0' },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-demo-'));
  const interrupted = (): never => process.exit(130);
  for (const signal of signals) process.once(signal, interrupted);
  const { stage, silence } = await setStage(folder, values);
  await play(stage, { keeps: values.keep });
  silence();
  report(stage);
  const isFine = stage.assertions.allHold;
  for (const signal of signals) process.off(signal, interrupted);
  if (values.keep) await keepUp(stage);
  else if (isFine) screen.text(next);
  await end(stage);
  if (isFine) rmSync(folder, { recursive: true, force: true });
  else screen.text(`\nThe operator's log is ${join(folder, 'operator.log')}`);
  process.exitCode = isFine ? 0 : 1;
}

/** Closes everything, whatever state it is in. */
async function end({ operator, watcher, client, cluster, outside }: Stage): Promise<void> {
  watcher.stop();
  // Before the operator goes: what is left in a cluster waits for it.
  await cluster.close();
  await operator.kill();
  await client.close();
  await outside.close();
}

await main();
