/**
 * Thousands of CloudDatabases at one provider with a limit, kept by one operator, or by several replicas that share the work. Of several, one is killed.
 *
 *   KUBECONFIG=… npm run -s bench:external -- [--count 10000] [--operators 1] [--limit 400] [--out FILE]
 *
 * The API server is a real one; the provider is the reference cloud API, which answers 429 to calls beyond its limit in any second. Prints the figures.
 * Exits 1 when a database is not served, is doubled or is left behind, or when the limit was exceeded.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import {
  createClient,
  customResourceDefinitions,
  httpTransport,
  isApiError,
  namespaces,
  secrets,
} from '@ordinal/client';
import type { CustomResourceDefinitionInput } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { parse } from 'yaml';
import { startCloudServer } from '../../examples/cloud-api/cloud-server.ts';
import { startOperator } from './operator-process.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values } = readFlags(
  'KUBECONFIG=… npm run bench:external -- [--count 10000] [--operators 1] [--limit 400] [--out FILE]',
  {
    options: {
      count: { type: 'string', default: '10000' },
      operators: { type: 'string', default: '1' },
      limit: { type: 'string', default: '400' },
      out: { type: 'string' },
    },
  },
);
const count = Number(values.count);
const operatorCount = Number(values.operators);
const limit = Number(values.limit);

const kubeconfig = process.env['KUBECONFIG'];
if (kubeconfig === undefined) throw new Error('KUBECONFIG is not set: it names the API server of the benchmark');
// Of this run alone: an API server without a garbage collector keeps the Secrets of the runs before.
const namespace = `bench-external-${process.pid}`;
const client = createClient({
  transport: httpTransport(await kubeconfigServer({ files: [kubeconfig] })),
  userAgent: 'ordinal-bench',
});
const databases = client(cloudDatabases).namespace(namespace);

/** Calls `work` for each number below `total`, so many at a time. */
async function inParallel(total: number, workers: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < total) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

const unlessThere = (error: unknown): void => {
  if (!isApiError(error, 'AlreadyExists')) throw error;
};

async function prepare(endpoint: string): Promise<void> {
  const file = new URL('../../libs/api/crds/clouddatabases.db.example.com.yaml', import.meta.url);
  const crd = parse(readFileSync(file, 'utf8')) as CustomResourceDefinitionInput; // A CRD file holds one CRD.
  await client(customResourceDefinitions).cluster().create(crd).catch(unlessThere);
  for (let isServed = false; !isServed; await sleep(200))
    isServed = await databases.list({ limit: 1 }).then(
      () => true,
      () => false,
    );
  await client(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    .catch(unlessThere);
  const description = { provider: 'http', endpoint, token: 'secret', settleSeconds: '1' };
  const data = Object.fromEntries(Object.entries(description).map(([key, value]) => [key, btoa(value)]));
  await client(secrets)
    .namespace(namespace)
    .apply(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'account', namespace }, data },
      { fieldManager: 'ordinal-bench', force: true },
    );
}

const nameOf = (index: number): string => `orders-${index}`;

function create(index: number): Promise<unknown> {
  return databases.create({
    apiVersion: 'db.example.com/v1',
    kind: 'CloudDatabase',
    metadata: { name: nameOf(index), namespace },
    spec: { engine: 'postgres', size: 'small', providerRef: { name: 'account' } },
  });
}

/** Follows which databases exist and which have been ready, from the API server's own events. */
function follow(signal: AbortSignal): { readonly ready: Set<string>; readonly present: Set<string> } {
  const [ready, present] = [new Set<string>(), new Set<string>()];
  const take = ({ metadata, status }: CloudDatabase): void => {
    present.add(metadata.name);
    if (status?.phase === 'Ready') ready.add(metadata.name);
  };
  const once = async (): Promise<void> => {
    const { items, resourceVersion } = await databases.list({ signal });
    present.clear();
    items.forEach(take);
    for await (const event of databases.watch({ resourceVersion, signal })) {
      if (event.type === 'DELETED') present.delete(event.object.metadata.name);
      else if (event.type !== 'BOOKMARK') take(event.object);
    }
  };
  void (async () => {
    // A server ends watches when it likes, above all of those who read slowly.
    while (!signal.aborted) await once().catch(() => sleep(1_000));
  })();
  return { ready, present };
}

async function until(what: string, holds: () => boolean): Promise<number> {
  const began = performance.now();
  while (!holds()) {
    if (performance.now() - began > 3_600_000) throw new Error(`an hour has passed, and ${what} has not come`);
    await sleep(50);
  }
  return (performance.now() - began) / 1000;
}

/** Changes the size of so many databases, five a second, and returns how long each took until the provider had it. */
async function serveTimes(changes: number, size: 'small' | 'medium'): Promise<readonly number[]> {
  const times: Promise<number>[] = [];
  for (let change = 0; change < changes; change += 1) {
    const name = nameOf(Math.floor((change * count) / changes));
    times.push(
      (async () => {
        const began = performance.now();
        const { status } = await databases.patch(name, { type: 'merge', body: { spec: { size } } });
        await until(name, () => cloud.databases().some((one) => one.id === status?.instanceId && one.size === size));
        return (performance.now() - began) / 1000;
      })(),
    );
    await sleep(200);
  }
  return (await Promise.all(times)).toSorted((left, right) => left - right);
}

/** Half of them were not longer than the first, nineteen of twenty not than the second, and none than the third. */
function spread(times: readonly number[]): readonly number[] {
  return [0.5, 0.95, 1].map((part) => rounded(times[Math.ceil(part * times.length) - 1] ?? 0, 100));
}

const cloud = await startCloudServer({ token: 'secret', createMs: 2_000, deleteMs: 500, maxCallsPerSecond: limit });
const over = new AbortController();
await prepare(cloud.url);
const seen = follow(over.signal);
await inParallel(count, 20, create);
await until('all databases', () => seen.present.size === count);

/** The most calls that the provider has had in any second. */
let busiest = 0;
let before = 0;
const meter = setInterval(() => {
  busiest = Math.max(busiest, cloud.counts.calls - before);
  before = cloud.counts.calls;
}, 1_000);

const operators = Array.from({ length: operatorCount }, (_, index) =>
  startOperator({
    kubeconfig,
    ...(operatorCount === 1 ? {} : { replica: { name: `replica-${index}`, lease: namespace } }),
    providerRate: limit,
    metricsPort: 18_080 + index,
  }),
);
const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);
const rounded = (figure: number, parts = 10): number => Math.round(figure * parts) / parts;
try {
  const readySeconds = await until('the last database', () => seen.ready.size === count);
  const callsUntilReady = cloud.counts.calls;
  const requests = sum(await Promise.all(operators.map((operator) => operator.requests())));
  await sleep(20_000);
  const steadyCalls = (cloud.counts.calls - callsUntilReady) / 20;
  const memory = operators.map((operator) => operator.memory());
  const cpu = operators.map((operator) => operator.cpuSeconds());
  const steadyCpu = sum(cpu);
  const idleBegan = performance.now();
  await sleep(20_000);
  const cpuAtRest =
    (sum(operators.map((operator) => operator.cpuSeconds())) - steadyCpu) / (performance.now() - idleBegan);
  const servedIn = spread(await serveTimes(100, 'medium'));
  const [killed] = operatorCount === 1 ? [] : operators.splice(0, 1);
  await killed?.kill();
  const afterKill = killed ? { serveSecondsAfterKill: spread(await serveTimes(100, 'small')) } : {};
  const later = killed ? { serveSecondsLater: spread(await serveTimes(100, 'medium')) } : {};
  const kept = cloud.databases().length;
  const deleting = performance.now();
  await inParallel(count, 20, (index) => databases.delete(nameOf(index)));
  await until('the last deletion', () => seen.present.size === 0);
  const figures = {
    databases: count,
    operators: operatorCount,
    limitPerSecond: limit,
    lastReadySeconds: rounded(readySeconds),
    providerCallsUntilReady: callsUntilReady,
    providerCallsPerDatabase: rounded(callsUntilReady / count),
    busiestSecond: busiest,
    refusedByLimit: cloud.counts.refused,
    requestsPerDatabase: rounded(requests / count),
    steadyCallsPerSecond: rounded(steadyCalls),
    cpuSeconds: cpu.map((seconds) => rounded(seconds)),
    cpuAtRestPercent: rounded(cpuAtRest * 100_000, 100),
    serveSeconds: servedIn,
    ...afterKill,
    ...later,
    memoryMiB: memory.map(({ now }) => now),
    peakMemoryMiB: memory.map(({ peak }) => peak),
    lastGoneSeconds: rounded((performance.now() - deleting) / 1000),
    made: cloud.made(),
    keptWhenReady: kept,
    leftAtTheEnd: cloud.databases().length,
  };
  const text = JSON.stringify(figures, null, 2);
  console.log(text);
  if (values.out !== undefined) writeFileSync(values.out, `${text}\n`);
  const isSound =
    figures.made === count && kept === count && figures.leftAtTheEnd === 0 && figures.refusedByLimit === 0;
  process.exitCode = isSound ? 0 : 1;
} finally {
  clearInterval(meter);
  await Promise.allSettled(operators.map((operator) => operator.stop()));
  over.abort();
  await cloud.close();
  await client.close();
}
