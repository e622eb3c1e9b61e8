import { statefulSets } from '@ordinal/client';
import { operatorName } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { SimulatedCluster } from '@ordinal/simulator';
import { everyFaultBut } from '../search/faults.ts';
import { pass } from '../search/pass.ts';
import type { Searched } from '../search/searched.ts';
import { cache, cacheOperator, caches, change, members } from './cache-world.ts';
import { register } from './drain-world.ts';
import { answered, asked, operator, serveGate } from './drained.ts';
import { closeGate, installGatedImages, isGateClosed, openGate } from './gate.ts';
import { cacheInvariants, gateIsKept } from './invariants.ts';
import { allRun, common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';

/** How often the webhook has refused with 429, in one history. */
const refused = new WeakMap<SimulatedCluster, number>();

const refusalsAreSeen: Invariant = {
  name: 'a StatefulSet that is made smaller by hand loses no member before its gate is open: the webhook says 429 (issue 26)',
  atEnd: (cluster) => ((refused.get(cluster) ?? 0) > 0 ? undefined : 'no deletion was refused'),
};

const scale = (cluster: SimulatedCluster, replicas: number) =>
  cluster.client()(statefulSets).namespace('default').scale.update('sessions', replicas);

/** A cache waits for its gate to become smaller; meanwhile another client makes its StatefulSet smaller by hand, at once and by one, and the webhook keeps the members. */
export const scaledByHand: Searched = {
  oracles: [...cacheInvariants, gateIsKept(isGateClosed), refusalsAreSeen],
  // These take members down by themselves, or leave no operator to answer the webhook.
  faults: everyFaultBut('pod', 'node', 'oldVersion', 'twoLeaders', 'outage', 'crash', 'restore'),
  scenario: {
    ...common,
    name: 'a reduction that waits for its gate while its StatefulSet is made smaller by hand',
    operator: cacheOperator(undefined, undefined, serveGate),
    identity: { name: operator, groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'] },
    setUp: async (cluster) => {
      installGatedImages(cluster);
      cluster.external(asked, async ({ body }) => {
        const reply = await cluster.http(answered, { method: 'POST', body });
        const text = await reply.text();
        const { response } = JSON.parse(text) as {
          readonly response: { readonly status?: { readonly code?: number } };
        };
        if (response.status?.code === 429) refused.set(cluster, (refused.get(cluster) ?? 0) + 1);
        return { status: reply.status, body: text };
      });
      await register(cluster, { name: operatorName });
      await caches(cluster).create(cache({ podTemplate, replicas: 3 }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      closeGate(cluster);
      await change(cluster, { replicas: 1 });
      await pass(cluster, until, 10_000);
      for (const replicas of [1, 2]) {
        await scale(cluster, replicas);
        await pass(cluster, until, 30_000);
      }
      openGate(cluster);
      await untilAllRun(cluster, 'cache:1', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:1') && members(cluster).length === 1,
  },
};
