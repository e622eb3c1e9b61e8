import type { Pod, StatefulSet } from '@ordinal/client';
import { operatorName } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { protectCaches } from '../../../libs/reconcilers/src/clustered-cache/index.ts';
import type { Drain } from '../faults/drain.ts';
import { drain, registerAudit } from '../faults/drain.ts';
import { everyFaultBut } from '../faults/faults.ts';
import type { AllowedDeletion } from '../oracles/allowed-deletions.ts';
import { allowedDeletion, isSpared, noteAnswers } from '../oracles/allowed-deletions.ts';
import type { OperatorParts } from '../../../libs/reconcilers/test/operator/parts.ts';
import { serveGate } from '../../../libs/reconcilers/test/world/serve-gate.ts';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheOperator,
  caches,
  change,
  isReady,
  members,
  setNow,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { operator, register } from '../../../libs/reconcilers/test/clustered-cache/drain-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** How long the gates do not answer, and then say no, in milliseconds. */
const silentMs = 40_000;
const closedMs = 20_000;
/** When the gates fall silent. */
const silence = new WeakMap<TestCluster, number>();

/** The gate that an operator of caches answers with. */
export const serveCacheGate: (parts: OperatorParts) => void = serveGate({
  controller: 'clustered-cache',
  protect: protectCaches,
});

/** Which members were allowed to be deleted, in one history. */
interface Allowed {
  /**
   * Members, by name, that a user deleted with the gate's consent, or that the operator deleted: the UID of each, and when. They are here until another one serves
   * in their place.
   */
  readonly down: Map<string, AllowedDeletion>;
  /** The UIDs of those that serve, or did until they were deleted. */
  readonly serving: Set<string>;
  /** What was wrong with the last answer, until it is reported. */
  wrong: string | undefined;
}

/** A restored etcd has members again that were taken down: their containers are started once more, under the same UID. */
const drains = new Memories<Allowed>((cluster) => ({
  down: new Map(),
  serving: new Set(
    members(cluster)
      .filter(isReady)
      .map(({ metadata }) => metadata.uid),
  ),
  wrong: undefined,
}));
const drainOf = (cluster: TestCluster): Allowed => drains.of(cluster);

const isClosed = (cluster: TestCluster): boolean => {
  const silentFrom = silence.get(cluster) ?? Infinity;
  const now = cluster.clock.now();
  return now >= silentFrom && now < silentFrom + silentMs + closedMs;
};

const othersDown = (cluster: TestCluster, name: string): readonly string[] =>
  [...drainOf(cluster).down]
    .filter(([other, one]) => other !== name && !isSpared(cluster, members(cluster), one))
    .map(([other]) => other);

/** Whether the StatefulSet is to have a member of this name. One that leaves for good is judged when the StatefulSet becomes smaller, and does not come back. */
const isKept = (cluster: TestCluster, name: string): boolean =>
  Number(name.slice(name.lastIndexOf('-') + 1)) < (setNow(cluster)?.spec.replicas ?? Infinity);

/** What the gate said yes to, as it was a short time ago. */
function noteAnswer(cluster: TestCluster, question: string, answer: string): void {
  const allowed = allowedDeletion(members(cluster), question, answer);
  if (allowed === undefined) return;
  const { name, uid } = allowed.target.metadata;
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

/** Whichever client asks: the operator says yes only for a member that the others can do without. */
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

/** These members are drained. While the gates are closed a user waits longer. */
const drainMembers = (
  cluster: TestCluster,
  until: (condition: () => boolean) => Promise<void>,
  which: Pick<Drain, 'uids' | 'wants'>,
): Promise<void> =>
  drain(cluster, until, {
    members: () => members(cluster),
    pauseMs: () => (isClosed(cluster) ? 10_000 : 700),
    ...which,
  });

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
  // A gate that answers late may be open by then. While the operator is away no webhook answers, and every deletion is allowed.
  livesVary: ['outage', 'crash'],
  scenario: {
    ...common,
    name: 'a drain of all nodes, and of one during an upgrade',
    operator: cacheOperator(undefined, undefined, serveCacheGate),
    identity: { name: operator, groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'] },
    setUp: async (cluster) => {
      const http = ({ url }: { readonly url: URL }): number | Promise<number> => {
        if (url.pathname !== '/gate' || !isClosed(cluster)) return 200;
        const isSilent = cluster.clock.now() < (silence.get(cluster) ?? Infinity) + silentMs;
        return isSilent ? new Promise<never>(() => undefined) : 503;
      };
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      noteAnswers(cluster, noteAnswer);
      await register(cluster, { name: operatorName });
      await registerAudit(cluster);
      const gates = [{ name: 'gate', http: { path: '/gate' } }];
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      silence.set(cluster, cluster.clock.now());
      await drainMembers(cluster, until, { uids: uidsOf(cluster) });
      await untilRunning(cluster, 'cache:1', until);
      const [lowest = '', ...higher] = uidsOf(cluster);
      await change(cluster, { image: 'cache:2' });
      await until(() => comesBackAs(cluster, 'cache:2') || failed(cluster));
      // The last to be upgraded, for as long as others come before it: the upgrade and the drain each take another member.
      const wants = (): boolean => uidsOf(cluster).some((uid) => higher.includes(uid));
      await drainMembers(cluster, until, { uids: [lowest], wants });
      await untilAllRun(cluster, 'cache:2', until);
      const [first = ''] = uidsOf(cluster);
      const going = drainMembers(cluster, until, { uids: [first] });
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
      await drainMembers(cluster, until, { uids: uidsOf(cluster).slice(2), wants: () => isClosed(cluster) });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2') && members(cluster).length === 2,
  },
};
