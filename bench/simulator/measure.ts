// One figure of the simulation, in a process of its own: node --conditions=ordinal-source bench/simulator/measure.ts FIGURE. Prints JSON; run.ts starts it.
import { configMaps, pods } from '@ordinal/client';
import { replay } from '@ordinal/explorer';
import { SimulatedCluster } from '@ordinal/simulator';
import { sampleScenario } from '../../libs/explorer/test/sample-operator.ts';
import { configMap, listAndWatch } from './objects.ts';
import { peakMiB } from './process.ts';
import { program } from './program.ts';

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const tenths = (value: number): number => Math.round(value * 10) / 10;
const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** CPU time from nothing to a cluster that answers: what the process took for its modules, the first cluster, and one of many. */
async function start(): Promise<object> {
  const modulesMs = cpuMs();
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const begun = process.cpuUsage();
    const cluster = await SimulatedCluster.start({ seed: round });
    await cluster.client()(pods).namespace('default').list();
    times.push(cpuMs(begun));
    cluster.stop();
  }
  return {
    modulesMs: tenths(modulesMs),
    firstMs: tenths(times[0] ?? Number.NaN),
    laterMs: tenths(median(times.slice(1))),
  };
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

/** Peak memory of one process that is the cluster and its client: it fills, lists and watches. */
async function memory(): Promise<object> {
  const baseMiB = peakMiB();
  const cluster = await SimulatedCluster.start({ controllers: false, nodes: 0, events: false });
  const startedMiB = peakMiB();
  return { baseMiB, startedMiB, ...(await listAndWatch(cluster.client(), peakMiB)) };
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

const names = ['history', 'memory', 'program', 'start', 'writes'] as const;
const figures: Readonly<Record<(typeof names)[number], () => Promise<object>>> = {
  history,
  memory,
  program,
  start,
  writes,
};
const figure = names.find((name) => name === process.argv[2]);
if (figure === undefined) throw new Error(`which figure? ${names.join(', ')}`);
console.log(JSON.stringify(await figures[figure]()));
