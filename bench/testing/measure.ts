// One figure of the simulation, in a process of its own: node --conditions=ordinal-source bench/testing/measure.ts FIGURE. Prints JSON; run.ts starts it.
import { readFileSync } from 'node:fs';
import { configMaps, pods } from '@ordinal/client';
import type { ConfigMap, ConfigMapInput, ResourceClient } from '@ordinal/client';
import { replay, SimulatedCluster } from '@ordinal/testing';
import { sampleScenario } from '../../libs/testing/test/sample-operator.ts';

type Resource = Pick<ResourceClient<ConfigMap, ConfigMapInput>, 'patch' | 'watch'>;

const objects = 10_000;

/** The most memory that this process has ever had, in MiB, as the kernel counts it. */
function peakMiB(): number {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (peak === undefined) throw new Error('/proc/self/status tells no VmHWM: memory is measured on Linux');
  return Math.round(Number(peak) / 1024);
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const tenths = (value: number): number => Math.round(value * 10) / 10;
const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

const configMap = (index: number) => ({
  apiVersion: 'v1' as const,
  kind: 'ConfigMap' as const,
  metadata: { name: `object-${index}`, namespace: 'default', labels: { app: 'bench', part: `p${index % 10}` } },
  data: { key: `value ${index}`, text: 'x'.repeat(200) },
});

/** The time from nothing to a cluster that answers: the first in its process, and one of many. */
async function start(): Promise<object> {
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const begun = performance.now();
    const cluster = await SimulatedCluster.start({ seed: round });
    await cluster.client()(pods).namespace('default').list();
    times.push(performance.now() - begun);
    cluster.stop();
  }
  return { firstMs: tenths(times[0] ?? Number.NaN), laterMs: tenths(median(times.slice(1))) };
}

/** Creates and updates one after the other, through a client: each as bytes there and back. */
async function writes(): Promise<object> {
  const cluster = await SimulatedCluster.start({ controllers: false, nodes: 0, events: false });
  const resource = cluster.client()(configMaps).namespace('default');
  const rates: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const begun = process.cpuUsage();
    for (let index = 0; index < 1000; index += 1) {
      const created = await resource.create(configMap(round * 1000 + index));
      await resource.update({ ...created, data: { key: 'other' } });
    }
    rates.push(2000 / (cpuMs(begun) / 1000));
  }
  return { writesForEachSecondOfCpu: Math.round(median(rates)) };
}

/** Peak memory of a process that holds so many objects, lists them, and watches them all while a tenth is changed. */
async function memory(): Promise<object> {
  const baseMiB = peakMiB();
  const cluster = await SimulatedCluster.start({ controllers: false, nodes: 0, events: false });
  const startedMiB = peakMiB();
  const resource = cluster.client()(configMaps).namespace('default');
  for (let index = 0; index < objects; index += 1) await resource.create(configMap(index));
  const filledMiB = peakMiB();
  const { items, resourceVersion } = await resource.list();
  const listedMiB = peakMiB();
  const watched = await watchChanges(resource, resourceVersion);
  return { baseMiB, startedMiB, filledMiB, listedMiB, peakMiB: peakMiB(), listed: items.length, watched };
}

/** Watches while every tenth object is changed. Answers how many events came: all, or it does not end. */
async function watchChanges(resource: Resource, resourceVersion: string): Promise<number> {
  const end = new AbortController();
  const changes = objects / 10;
  const watching = (async () => {
    let watched = 0;
    for await (const event of resource.watch({ resourceVersion, signal: end.signal })) {
      if (event.type === 'MODIFIED') watched += 1;
      if (watched === changes) break;
    }
    return watched;
  })();
  for (let index = 0; index < objects; index += 10)
    await resource.patch(`object-${index}`, { type: 'merge', body: { data: { key: 'new' } } });
  const watched = await watching;
  end.abort();
  return watched;
}

/** A ConfigMap becomes a StatefulSet of three pods, and is upgraded: the operator of the simulation's own tests, on the runtime. */
async function history(): Promise<object> {
  const times: number[] = [];
  let writes = 0;
  for (let round = 0; round < 60; round += 1) {
    const begun = process.cpuUsage();
    const { ground, violations } = await replay({ scenario: sampleScenario(), seed: 7 });
    times.push(cpuMs(begun));
    if (violations.length > 0) throw new Error(JSON.stringify(violations));
    ({ writes } = ground);
  }
  const warm = times.slice(20);
  return {
    writes,
    coldMs: tenths(times[0] ?? Number.NaN),
    medianMs: tenths(median(warm)),
    bestMs: tenths(Math.min(...warm)),
  };
}

const names = ['history', 'memory', 'start', 'writes'] as const;
const figures: Readonly<Record<(typeof names)[number], () => Promise<object>>> = { history, memory, start, writes };
const figure = names.find((name) => name === process.argv[2]);
if (figure === undefined) throw new Error(`which figure? ${names.join(', ')}`);
console.log(JSON.stringify(await figures[figure]()));
