/**
 * How long after a gate has opened the operator takes the next step: from when the member answers that it may go down until its deletion is seen.
 *
 *   KUBECONFIG=… node --conditions=ordinal-source bench/gates/run.ts [--openings 54] [--caches 3] [--image docker.io/e2e/redis:8]
 *
 * The cluster is a real one with the operator in it, and this machine reaches its pods: `npm run e2e -- --keep --only=pages` leaves one. Each way of asking has caches of its own,
 * upgraded again and again; each gate stays closed for a random time. Exits 1 where half of the openings take a second, or one in a hundred three: of those that are
 * asked about as often as that, or whose pod changes.
 */
import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusteredCaches } from '@ordinal/api';
import { createClient, httpTransport, namespaces, pods } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { readFlags } from '../../tools/flags/flags.ts';
import { gatedCache, memberPort } from './gated-cache.ts';
import type { Way } from './gated-cache.ts';
import { until, Watched } from './watched.ts';

const { values } = readFlags(
  'KUBECONFIG=… node --conditions=ordinal-source bench/gates/run.ts [--openings 54] [--caches 3]',
  {
    options: {
      openings: { type: 'string', default: '54' },
      caches: { type: 'string', default: '3' },
      image: { type: 'string', default: 'docker.io/e2e/redis:8' },
    },
  },
);
const ways: readonly Way[] = [
  { title: 'the pod changes with it', changesPod: true },
  { title: 'asked again each second (the default)' },
  { title: 'asked again after 1 s, then each 2 s (`askAgain.max: 2s`)', askAgainMax: '2s' },
];
const kubeconfig = process.env['KUBECONFIG'];
if (kubeconfig === undefined) throw new Error('KUBECONFIG is not set: it names the cluster of the benchmark');
const namespace = `bench-gates-${process.pid}`;
const client = createClient({
  transport: httpTransport(await kubeconfigServer({ files: [kubeconfig] })),
  userAgent: 'ordinal-bench',
});

/** One opening, in milliseconds: how long the gate had been seen to be closed, and how long after it opened its member's deletion was seen. */
interface Opening {
  readonly closedMs: number;
  readonly noticedMs: number;
}

/** How long a gate stays closed, in milliseconds: as often under a second as over five. */
const closedFor = (): number => 100 * 300 ** Math.random();

async function openGate(watched: Watched, name: string, way: Way): Promise<Opening> {
  const uid = await until(`${name} waits for a gate`, () => {
    const { step, podUID } = watched.caches.get(name)?.status?.upgrade ?? {};
    return step === 'AwaitingGate' && podUID !== undefined && !watched.deletedAt.has(podUID) ? podUID : undefined;
  });
  const closedAt = performance.now();
  await sleep(closedFor());
  const { metadata, status } = watched.pods.get(uid)!;
  await fetch(`http://${status!.podIP!}:${memberPort}/cgi-bin/open`);
  const openedAt = performance.now();
  if (way.changesPod) {
    const body = { metadata: { annotations: { opened: 'true' } } };
    await client(pods).namespace(namespace).patch(metadata.name, { type: 'merge', body });
  }
  const deletedAt = await until(`${metadata.name} goes`, () => watched.deletedAt.get(uid));
  return { closedMs: openedAt - closedAt, noticedMs: deletedAt - openedAt };
}

async function measure(watched: Watched, way: Way, name: string, count: number): Promise<Opening[]> {
  const found: Opening[] = [];
  const caches = client(clusteredCaches).namespace(namespace);
  for (let round = 0; found.length < count; round += 1) {
    const cache = gatedCache({ namespace, name, image: values.image, way, round });
    await caches.apply(cache, { fieldManager: 'bench', force: true });
    if (round > 0) for (let member = 0; member < 3; member += 1) found.push(await openGate(watched, name, way));
    await until(`${name} is as it should be`, () => {
      const { metadata, status } = watched.caches.get(name) ?? {};
      const isCurrent = status?.observedGeneration === metadata?.generation && status?.upgrade === undefined;
      return isCurrent && status?.readyReplicas === 3 ? true : undefined;
    });
  }
  return found;
}

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? NaN;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** What half of the openings, and all but one in a hundred, may take, in milliseconds. */
const limits = { half: 1_000, nearlyAll: 3_000 };

function row(title: string, openings: readonly Opening[], isHeld = false): void {
  const noticed = openings.map(({ noticedMs }) => noticedMs).sort((a, b) => a - b);
  const [half = NaN, nearlyAll = NaN, longest = NaN] = [0.5, 0.99, 1].map((part) => quantile(noticed, part));
  console.log(`| ${[title, noticed.length, ...[half, nearlyAll, longest].map(seconds)].join(' | ')} |`);
  if (isHeld && !(half < limits.half && nearlyAll < limits.nearlyAll)) process.exitCode = 1;
}

/** Spans of how long a gate of the default has been closed, in seconds. */
const spans = [
  [0, 3],
  [3, 7],
  [7, 60],
] as const;

await client(namespaces)
  .cluster()
  .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
const watched = new Watched(client, namespace);
try {
  const load = loadavg()[0]!.toFixed(1);
  const each = Number(values.openings) / Number(values.caches);
  const results = await Promise.all(
    ways.map((way, index) =>
      Promise.all(
        Array.from({ length: Number(values.caches) }, (_, cache) =>
          measure(watched, way, `way-${index}-${cache}`, each),
        ),
      ),
    ),
  );
  console.log(`load ${load} before, ${loadavg()[0]!.toFixed(1)} after\n`);
  console.log('| how its opening is noticed | openings | p50 | p99 | longest |\n|---|---|---|---|---|');
  for (const [index, way] of ways.entries()) {
    const openings = results[index]!.flat();
    const isDefault = way.changesPod === undefined && way.askAgainMax === undefined;
    row(way.title, openings, isDefault || way.changesPod === true);
    for (const [from, to] of isDefault ? spans : []) {
      const within = openings.filter(({ closedMs }) => closedMs >= from * 1000 && closedMs < to * 1000);
      row(`… closed for ${from} to ${to} s`, within);
    }
  }
} finally {
  watched.stop();
  await client(namespaces).cluster().delete(namespace);
  await client.close();
}
