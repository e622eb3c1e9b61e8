import type { Pod, StatefulSet } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { operatorName } from '@ordinal/constructs';
import { readReview, reviewReply } from '@ordinal/runtime/webhooks';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { DisruptionGate } from '@ordinal/lifecycle';
import { protectCaches } from '../../../libs/reconcilers/src/clustered-cache/index.ts';
import { seals } from '../../../libs/reconcilers/test/operator/parts.ts';
import { everyFaultBut } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Searched } from '../engine/searched.ts';
import type { CacheOperatorParts } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import {
  cache,
  cacheOperator,
  caches,
  change,
  isReady,
  members,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import {
  answered,
  asked,
  operator,
  readerOf,
  register,
} from '../../../libs/reconcilers/test/clustered-cache/drain-world.ts';
import { registerForeignWebhook } from '../../../libs/reconcilers/test/clustered-cache/foreign-webhook.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** How long the gates do not answer, and then say no, in milliseconds. */
const silentMs = 40_000;
const closedMs = 20_000;
/** Another owner's webhook on deletions, and how long it takes: time passes between what is allowed, or announced, and what is done. */
const audit = 'https://audit.example';
const auditMs = 300;

/** When the gates fall silent. */
const silence = new WeakMap<TestCluster, number>();

/** Which members were allowed to be deleted, in one history. */
interface Drain {
  /**
   * Members, by name, that a user deleted with the gate's consent, or that the operator deleted: the UID of each, and when. They are here until another one serves
   * in their place.
   */
  readonly down: Map<string, { readonly uid: string; readonly at: number }>;
  /** The UIDs of those that serve, or did until they were deleted. */
  readonly serving: Set<string>;
  /** What was wrong with the last answer, until it is reported. */
  wrong: string | undefined;
}

/** A restored etcd has members again that were taken down: their containers are started once more, under the same UID. */
const drains = new Memories<Drain>((cluster) => ({
  down: new Map(),
  serving: new Set(
    members(cluster)
      .filter(isReady)
      .map(({ metadata }) => metadata.uid),
  ),
  wrong: undefined,
}));
const drainOf = (cluster: TestCluster): Drain => drains.of(cluster);

const isClosed = (cluster: TestCluster): boolean => {
  const silentFrom = silence.get(cluster) ?? Infinity;
  const now = cluster.clock.now();
  return now >= silentFrom && now < silentFrom + silentMs + closedMs;
};

/** The gate that the operator answers with. */
export function serveGate({ manager, client, probes, environment: { clock, serve } }: CacheOperatorParts): void {
  const gate = new DisruptionGate({
    ...{ client, probes, outside: manager.outside, clock, operator },
    protection: protectCaches({ reader: readerOf(manager, 'clustered-cache'), seals }),
  });
  serve(answered, async ({ body }) => {
    const request = readReview(body);
    const verdict = await gate.admit(request, new AbortController().signal);
    return { status: 200, body: JSON.stringify(reviewReply(request.uid, verdict)) };
  });
}

/** Registers another owner's webhook on deletions, which takes its time. */
export async function registerAudit(cluster: TestCluster): Promise<void> {
  cluster.external(audit, async ({ body }) => {
    await new Promise<void>((resolve) => void cluster.clock.after(auditMs, resolve));
    return { status: 200, body: JSON.stringify(reviewReply(readReview(body).uid, { allowed: true })) };
  });
  const rule = { apiGroups: [''], operations: ['DELETE'], resources: ['pods'] };
  await registerForeignWebhook(cluster, { name: 'slow.audit.example', url: audit, rule });
}

/** Who drains nodes: nothing of the cluster's own may pass a gate that people may not. */
const autoscaler = {
  name: 'system:serviceaccount:kube-system:cluster-autoscaler',
  groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'],
};

/** A member that was allowed to be deleted, and serves half a minute later, was not deleted: the budget refused it, or no request came any more. */
function isSpared(cluster: TestCluster, { uid, at }: { readonly uid: string; readonly at: number }): boolean {
  return cluster.clock.now() >= at + 30_000 && members(cluster).some((pod) => pod.metadata.uid === uid && isReady(pod));
}

const othersDown = (cluster: TestCluster, name: string): readonly string[] =>
  [...drainOf(cluster).down]
    .filter(([other, one]) => other !== name && !isSpared(cluster, one))
    .map(([other]) => other);

/** Whether the StatefulSet is to have a member of this name. One that leaves for good is judged when the StatefulSet becomes smaller, and does not come back. */
const isKept = (cluster: TestCluster, name: string): boolean =>
  Number(name.slice(name.lastIndexOf('-') + 1)) < (setNow(cluster)?.spec.replicas ?? Infinity);

/** What the gate said yes to, as it was a moment ago. */
function noteAnswer(cluster: TestCluster, question: string, answer: string): void {
  const { oldObject, userInfo, name: named } = readReview(question);
  const { response } = JSON.parse(answer) as { readonly response: { readonly allowed: boolean } };
  if (!response.allowed || userInfo.username === operator) return;
  // An eviction names a pod, and no more.
  const target = members(cluster).find(({ metadata }) =>
    oldObject ? metadata.uid === oldObject.metadata.uid : metadata.name === named,
  );
  // A member that is already being deleted, or serves no client, was lost before, perhaps to a client that no gate stops: allowing its deletion costs nothing more.
  if (oldObject?.metadata.deletionTimestamp !== undefined || !target || !isReady(target)) return;
  const { name, uid } = target.metadata;
  if (!isKept(cluster, name)) return;
  const drain = drainOf(cluster);
  const others = othersDown(cluster, name);
  if (isClosed(cluster)) drain.wrong = `${name} was allowed to be deleted while its gate was closed`;
  else if (others.length > 0)
    drain.wrong = `${name} was allowed to be deleted while ${others.join(', ')} had not come back`;
  drain.down.set(name, { uid, at: cluster.clock.now() });
}

/** What is wrong with it that this member leaves for good now. It is awaited no more. */
function wrongWithLosing(cluster: TestCluster, name: string): string | undefined {
  const others = othersDown(cluster, name);
  drainOf(cluster).down.delete(name);
  const serves = members(cluster).some((pod) => pod.metadata.name === name && isReady(pod));
  return serves && others.length > 0
    ? `${name} was to leave for good while ${others.join(', ')} had not come back`
    : undefined;
}

/** Whoever asks: the operator says yes only for a member that the others can do without. */
const drainsMeetTheGate: Invariant = {
  name: 'a drain takes a member only when its gates are open, and one at a time (S0.1, I8)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    const drain = drainOf(cluster);
    const { wrong } = drain;
    drain.wrong = undefined;
    if (kind === 'pods' && type !== 'DELETED') {
      const pod = object as Pod; // Of kind pods.
      const { name, uid } = pod.metadata;
      if (isReady(pod)) drain.serving.add(uid);
      else if (pod.metadata.deletionTimestamp === undefined) drain.serving.delete(uid);
      if (isReady(pod) && drain.down.get(name)?.uid !== uid) drain.down.delete(name);
    }
    if (wrong !== undefined || kind !== 'statefulsets.apps' || type !== 'MODIFIED') return wrong;
    const [now = 1, before = 1] = [object, previous].map((set) => (set as StatefulSet).spec.replicas); // Of this kind.
    return now < before ? wrongWithLosing(cluster, `sessions-${now}`) : undefined;
  },
  afterRequest: (cluster, { verb, kind, name = '', status, subresource, preconditions }) => {
    const uid = preconditions?.uid ?? '';
    if (verb !== 'delete' || kind !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    const { down, serving } = drainOf(cluster);
    const others = othersDown(cluster, name);
    down.set(name, { uid, at: cluster.clock.now() });
    return serving.has(uid) && others.length > 0
      ? `the operator took ${name} down while ${others.join(', ')} had not come back`
      : undefined;
  },
};

/** These members are evicted or deleted, in turn; one that may not go yet is tried again, until all are gone or the drain is given up. */
async function drain(
  cluster: TestCluster,
  until: (condition: () => boolean) => Promise<void>,
  { uids, wants = () => true }: { readonly uids: readonly string[]; readonly wants?: () => boolean },
): Promise<void> {
  const left = (): readonly Pod[] => members(cluster).filter(({ metadata }) => uids.includes(metadata.uid));
  const client = cluster.client()(pods).namespace('default');
  while (left().length > 0 && wants()) {
    const present = left().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    await Promise.all(
      present.map(({ metadata: { name, uid } }, place) =>
        (place % 2 === 0
          ? cluster.client(autoscaler).pods.evict({ namespace: 'default', pod: name })
          : client.delete(name, { preconditions: { uid } })
        ).catch(() => undefined),
      ),
    );
    await pass(cluster, until, isClosed(cluster) ? 10_000 : 700);
  }
}

const uidsOf = (cluster: TestCluster): readonly string[] => members(cluster).map(({ metadata }) => metadata.uid);

/** The StatefulSet's controller knows what it has to create. */
function comesBackAs(cluster: TestCluster, image: string): boolean {
  const { metadata, spec, status } = setNow(cluster) ?? {};
  return (
    spec?.template.spec?.containers[0]?.image === image &&
    (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0)
  );
}

/** A user drains all nodes, when the gates do not answer at first, and then say no; one of them while the cache is upgraded, and two while it shrinks. */
export const drained: Searched = {
  oracles: [...cacheInvariants, drainsMeetTheGate],
  // An older operator, and one that is suspended, has no gate.
  faults: everyFaultBut('oldVersion', 'twoLeaders'),
  // A gate that answers late may be open by then. While the operator is away no webhook answers, and every deletion is allowed. An upgrade that a clock takes past its deadline goes back.
  livesVary: ['outage', 'crash', 'clock'],
  scenario: {
    ...common,
    name: 'a drain of all nodes, and of one during an upgrade',
    operator: cacheOperator(undefined, undefined, serveGate),
    identity: { name: operator, groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'] },
    setUp: async (cluster) => {
      const http = ({ url }: { readonly url: URL }): number | Promise<number> => {
        if (url.pathname !== '/gate' || !isClosed(cluster)) return 200;
        const isSilent = cluster.clock.now() < (silence.get(cluster) ?? Infinity) + silentMs;
        return isSilent ? new Promise<never>(() => undefined) : 503;
      };
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      cluster.external(asked, async ({ body }) => {
        const reply = await cluster.http(answered, { method: 'POST', body });
        const text = await reply.text();
        noteAnswer(cluster, body, text);
        return { status: reply.status, body: text };
      });
      await register(cluster, { name: operatorName });
      await registerAudit(cluster);
      const gates = [{ name: 'gate', http: { path: '/gate' } }];
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      silence.set(cluster, cluster.clock.now());
      await drain(cluster, until, { uids: uidsOf(cluster) });
      await untilRunning(cluster, 'cache:1', until);
      const [lowest = '', ...higher] = uidsOf(cluster);
      await change(cluster, { image: 'cache:2' });
      await until(() => comesBackAs(cluster, 'cache:2'));
      // The last to be upgraded, for as long as others come before it: the upgrade and the drain each take another member.
      const wants = (): boolean => uidsOf(cluster).some((uid) => higher.includes(uid));
      await drain(cluster, until, { uids: [lowest], wants });
      await untilAllRun(cluster, 'cache:2', until);
      const [first = ''] = uidsOf(cluster);
      const going = drain(cluster, until, { uids: [first] });
      // A member was allowed to be deleted, and its deletion does not show yet; where a fault takes it down, it is gone already.
      await until(() => drainOf(cluster).down.has('sessions-0') || !uidsOf(cluster).includes(first));
      await change(cluster, { replicas: 2 });
      await going;
      await untilAllRun(cluster, 'cache:2', until);
      await change(cluster, { replicas: 3 });
      await untilAllRun(cluster, 'cache:2', until);
      // Who is to leave for good is drained while it waits for its gates.
      silence.set(cluster, cluster.clock.now());
      await change(cluster, { replicas: 2 });
      // When they are open, whichever comes first may take it.
      await drain(cluster, until, { uids: uidsOf(cluster).slice(2), wants: () => isClosed(cluster) });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2') && members(cluster).length === 2,
  },
};
