import type { TestCluster, SimulatedReply, SimulatedRequest } from '@ordinal/simulator';
import { everyFaultBut } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import { cache, caches, change, installImages } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { closeGate, isGateClosed, openGate } from './gate.ts';
import { cacheInvariants, gateIsKept } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** Members that answer as the gate is, by a command and in their metrics. */
function installAnsweringImages(cluster: TestCluster): void {
  installImages(cluster);
  const exec = () => ({ exitCode: isGateClosed(cluster) ? 1 : 0 });
  const http = ({ url }: SimulatedRequest): SimulatedReply =>
    url.pathname === '/metrics' ? { status: 200, body: `lag ${isGateClosed(cluster) ? 120 : 1}\n` } : 200;
  for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http, exec });
}

const gates = [
  { name: 'command', target: 'Peers', exec: { command: ['is-open'] } },
  { name: 'lag', target: 'Self', metric: { path: '/metrics', name: 'lag', max: '5', via: 'Proxy' } },
] as const;

/** Gates that are asked by way of the API server, a command and a metric, are closed for a while: each of these calls can fail as any other. */
export const remote: Searched = {
  oracles: [...cacheInvariants, gateIsKept(isGateClosed)],
  // These take members down by themselves, whatever the gate says.
  faults: everyFaultBut('pod', 'node', 'oldVersion'),
  scenario: {
    ...common,
    name: 'an upgrade whose gates are a command and a metric, asked by way of the API server',
    setUp: async (cluster) => {
      installAnsweringImages(cluster);
      closeGate(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates: [...gates] } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      const from = cluster.clock.now();
      await until(() => cluster.clock.now() >= from + 60_000);
      openGate(cluster);
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};
