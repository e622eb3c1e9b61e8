import type { ClusteredCache } from '@ordinal/api';
import { statefulSets } from '@ordinal/client';
import { operatorName } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import { readReview } from '@ordinal/runtime/webhooks';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault, everyFaultBut } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  cacheOperator,
  caches,
  change,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { answered, asked, operator, register } from '../../../libs/reconcilers/test/clustered-cache/drain-world.ts';
import { serveCacheGate } from './drained.ts';
import { closeGate, installGatedImages, isGateClosed, openGate } from './gate.ts';
import { cacheInvariants, gateIsKept } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** How often the webhook has refused with 429, in one history. */
const refused = new WeakMap<TestCluster, number>();

/** The UIDs of members about whose deletion the webhook was asked, and has not answered. */
const unanswered = new WeakMap<TestCluster, Set<string>>();

function unansweredOf(cluster: TestCluster): Set<string> {
  const known = unanswered.get(cluster) ?? new Set<string>();
  unanswered.set(cluster, known);
  return known;
}

/** Asks the operator's webhook. Where the operator is gone before it has answered, no answer comes, and the API server lets the member go. */
async function askWebhook(cluster: TestCluster, body: string): Promise<{ status: number; body: string }> {
  const uid = readReview(body).oldObject?.metadata.uid ?? '';
  unansweredOf(cluster).add(uid);
  const reply = await cluster.http(answered, { method: 'POST', body });
  const text = await reply.text();
  unansweredOf(cluster).delete(uid);
  const { response } = JSON.parse(text) as { readonly response: { readonly status?: { readonly code?: number } } };
  if (response.status?.code === 429) refused.set(cluster, (refused.get(cluster) ?? 0) + 1);
  return { status: reply.status, body: text };
}

/** The same invariant, of no member that went because the operator was gone before it had answered for it: a webhook that does not answer stops no deletion (`failurePolicy: Ignore`). */
const whereAnswered = (invariant: Invariant): Invariant => ({
  ...invariant,
  afterChange: (cluster, change) =>
    unansweredOf(cluster).has(change.object.metadata.uid) ? undefined : invariant.afterChange?.(cluster, change),
});

const refusalsAreSeen: Invariant = {
  name: 'a StatefulSet that is made smaller by hand loses no member before its gate is open: the webhook says 429 (issue 26)',
  atEnd: (cluster) => ((refused.get(cluster) ?? 0) > 0 ? undefined : 'no deletion was refused'),
};

/** One member goes at a time, whichever client has made the StatefulSet smaller: the next one only when the one before is gone. */
const oneLeavesAtATime: Invariant = {
  name: 'members leave one at a time, also where another client makes the StatefulSet smaller (issue 26)',
  afterChange: (cluster, { kind, object, previous }) => {
    const { name, uid, deletionTimestamp } = object.metadata;
    if (kind !== 'pods' || deletionTimestamp === undefined || previous?.metadata.deletionTimestamp !== undefined)
      return undefined;
    const others = members(cluster).filter(({ metadata }) => metadata.uid !== uid);
    const going = others.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
    return going && `${name} goes while ${going.metadata.name} does`;
  },
};

/** Of one history: the members that went while the gate was closed, and those that `GateBypassed` has named. */
interface PastGates {
  readonly gone: Set<string>;
  readonly named: Set<string>;
}

const pastGates = new WeakMap<TestCluster, PastGates>();

function pastGatesOf(cluster: TestCluster): PastGates {
  const known = pastGates.get(cluster) ?? { gone: new Set<string>(), named: new Set<string>() };
  pastGates.set(cluster, known);
  return known;
}

/** Where no webhook keeps them, those that another client has taken past their gates are named. */
const bypassIsReported: Invariant = {
  name: 'members that another client takes past the gates of a reduction are named by GateBypassed (issue 26)',
  afterChange: (cluster, { kind, object }) => {
    const { gone, named } = pastGatesOf(cluster);
    const isGoing = kind === 'pods' && object.metadata.deletionTimestamp !== undefined;
    if (isGoing && isGateClosed(cluster)) gone.add(object.metadata.name);
    if (kind !== 'clusteredcaches.cache.my.domain') return undefined;
    const { status } = object as ClusteredCache; // Of this kind.
    const found = status?.conditions?.find(({ type }) => type === 'GateBypassed');
    if (found?.status === 'True') for (const [name] of found.message.matchAll(/sessions-\d+/g)) named.add(name);
    return undefined;
  },
  atEnd: (cluster) => {
    const { gone, named } = pastGatesOf(cluster);
    const missing = [...gone].filter((name) => !named.has(name));
    return missing.length === 0 ? undefined : `nothing says that ${missing.join(' and ')} went past the gates`;
  },
};

const scale = (cluster: TestCluster, replicas: number) =>
  cluster.client()(statefulSets).namespace('default').scale.update('sessions', replicas);

/** Another client makes the StatefulSet of a cache smaller by hand. Then the cache waits for its gate to become smaller; meanwhile another client makes its StatefulSet smaller by hand, at once and by one, and the webhook keeps the members. */
export const scaledByHand: Searched = {
  oracles: [...cacheInvariants, ...[gateIsKept(isGateClosed), oneLeavesAtATime].map(whereAnswered), refusalsAreSeen],
  // These take members down by themselves, or leave no operator to answer the webhook.
  faults: everyFaultBut('pod', 'node', 'oldVersion', 'twoLeaders', 'outage', 'crash', 'restore'),
  // A member goes, or stays: as the StatefulSet's controller is first, or the operator, which puts the size back.
  livesVary: everyFault,
  scenario: {
    ...common,
    name: 'a reduction that waits for its gate while its StatefulSet is made smaller by hand',
    operator: cacheOperator(undefined, undefined, serveCacheGate),
    identity: { name: operator, groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'] },
    setUp: async (cluster) => {
      installGatedImages(cluster);
      cluster.external(asked, ({ body }) => askWebhook(cluster, body));
      await register(cluster, { name: operatorName });
      await caches(cluster).create(cache({ podTemplate, replicas: 3 }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      // Its gates are open: of the two that are taken away one may go at a time.
      await scale(cluster, 1);
      await pass(cluster, until, 30_000);
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

/** The same where no webhook answers: the members go at once, and that is reported. */
export const scaledPastGates: Searched = {
  oracles: [...cacheInvariants, bypassIsReported],
  // These take members down by themselves, or have the operator see no reduction that waits.
  faults: everyFaultBut('pod', 'node', 'oldVersion', 'twoLeaders', 'restore'),
  livesVary: everyFault,
  scenario: {
    ...common,
    name: 'a reduction that waits for its gate while its StatefulSet is made smaller past all webhooks',
    setUp: async (cluster) => {
      installGatedImages(cluster);
      await caches(cluster).create(cache({ podTemplate, replicas: 3 }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      closeGate(cluster);
      await change(cluster, { replicas: 1 });
      await until(() => cacheNow(cluster)?.status?.shrinkingFrom === 3);
      await scale(cluster, 1);
      await pass(cluster, until, 60_000);
      openGate(cluster);
      await untilAllRun(cluster, 'cache:1', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:1') && members(cluster).length === 1,
  },
};
