import { pods, statefulSets } from '@ordinal/client';
import type { Scenario, SimulatedCluster } from '@ordinal/testing';
import { everyFault, everyFaultBut } from '../search/faults.ts';
import type { Searched } from '../search/searched.ts';
import {
  cache,
  cacheCluster,
  cacheNow,
  cacheOperator,
  caches,
  change,
  images,
  installImages,
  isReady,
  isSettled,
  members,
  olderCacheOperator,
  said,
  setNow,
} from './cache-world.ts';
import { cacheInvariants, gateIsKept } from './invariants.ts';

const allRun = (cluster: SimulatedCluster, image: string): boolean =>
  isSettled(cluster) &&
  images(cluster).every((one) => one === image) &&
  cacheNow(cluster)?.status?.currentVersion === image;

const failed = (cluster: SimulatedCluster): boolean => said(cluster, 'Available') === 'False UpgradeFailed';

/** An upgrade to what the spec asks for now has failed, whether it stands there or went back. */
const hasGoneWrong = (cluster: SimulatedCluster): boolean =>
  cacheNow(cluster)?.status?.observedGeneration === cacheNow(cluster)?.metadata.generation &&
  (failed(cluster) || said(cluster, 'Available') === 'True RolledBack');

/** Waits until all run the image. A user whose upgrade fails under the faults asks for it again. */
async function untilAllRun(
  cluster: SimulatedCluster,
  image: string,
  until: (condition: () => boolean) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; !allRun(cluster, image); attempt += 1) {
    await until(() => allRun(cluster, image) || hasGoneWrong(cluster));
    if (allRun(cluster, image)) return;
    const annotations = { 'cache.my.domain/retry-upgrade': `${attempt}` };
    await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
    // It may have failed again before anybody looked.
    const asked = cluster.clock.now();
    await until(() => !hasGoneWrong(cluster) || cluster.clock.now() >= asked + 60_000);
  }
}

/** Where a history is, for counting how many states faults have met. */
function stateOf(cluster: SimulatedCluster): string {
  const step = cacheNow(cluster)?.status?.upgrade?.step ?? '-';
  const each = members(cluster).map((pod) => {
    const { deletionTimestamp, finalizers = [], name } = pod.metadata;
    const image = pod.spec.containers[0]?.image ?? '';
    return `${name.slice(-1)}${image.slice(image.indexOf(':'))}${isReady(pod) ? '+' : '-'}${deletionTimestamp === undefined ? '' : 'x'}${finalizers.length > 0 ? 'h' : ''}`;
  });
  return `${step} ${setNow(cluster)?.spec.replicas ?? '-'} ${each.join(' ')}`;
}

const common = {
  cluster: cacheCluster,
  operator: cacheOperator(),
  olderVersion: olderCacheOperator,
  stateOf,
  maxVirtualMs: 3_600_000,
} as const;

/** A field that the older operator does not know: it wants other members. */
const podTemplate = { metadata: { annotations: { team: 'web' } } } as const;

/** What users may do to a member at any moment without changing where it all ends. */
const meddling: NonNullable<Scenario['actions']> = {
  'take the finalizers off all members': async (cluster) => {
    const client = cluster.client()(pods).namespace('default');
    for (const { metadata } of members(cluster)) {
      if (metadata.finalizers)
        await client.patch(metadata.name, { type: 'merge', body: { metadata: { finalizers: null } } });
    }
  },
  'scale the StatefulSet to one': async (cluster) => {
    if (!setNow(cluster)) return;
    await cluster
      .client()(statefulSets)
      .namespace('default')
      .patch('sessions', { type: 'merge', body: { spec: { replicas: 1 } } });
  },
  'delete the StatefulSet, and leave its pods': async (cluster) => {
    if (!setNow(cluster)) return;
    await cluster.client()(statefulSets).namespace('default').delete('sessions', { propagationPolicy: 'Orphan' });
  },
};

/** Three members come up, and are upgraded. */
export const upgrade: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    // One that gets on only by its deadline, member after member, has gone wrong (S0.2).
    maxVirtualMs: 1_800_000,
    name: 'an upgrade of three members',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates: [] } }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1'));
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
    actions: meddling,
  },
};

const opened = new WeakSet<SimulatedCluster>();

/** A gate is closed for five minutes; nobody may go down before. */
export const closedGate: Searched = {
  oracles: [...cacheInvariants, gateIsKept((cluster) => !opened.has(cluster))],
  // These take members down by themselves, whatever the gate says.
  faults: [...everyFaultBut('pod', 'node', 'oldVersion'), 'twoLeaders'],
  scenario: {
    ...common,
    name: 'an upgrade whose gate opens late',
    setUp: async (cluster) => {
      installImages(cluster);
      const http = ({ url }: { readonly url: URL }): number =>
        url.pathname === '/ready-for-shutdown' && !opened.has(cluster) ? 503 : 200;
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      await caches(cluster).create(cache({ podTemplate }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1'));
      await change(cluster, { image: 'cache:2' });
      const from = cluster.clock.now();
      await until(() => cluster.clock.now() >= from + 300_000);
      opened.add(cluster);
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};

const rolledBack = (cluster: SimulatedCluster): boolean =>
  said(cluster, 'Available') === 'True RolledBack' && images(cluster).every((one) => one === 'cache:1');

/** The way back has met its own deadline, as it does where a clock is set forward or a node is lost for longer: then the user goes on as well. */
function rollbackFailed(cluster: SimulatedCluster): boolean {
  const { upgrade, failedRevision } = cacheNow(cluster)?.status ?? {};
  return upgrade?.step === 'Failed' && failedRevision !== undefined && upgrade.revision !== failedRevision;
}

/** An upgrade to an image that never gets ready is rolled back; then another one works. */
export const rollback: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  livesVary: ['clock'],
  scenario: {
    ...common,
    name: 'an upgrade that fails, is rolled back, and is followed by another',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { onFailure: 'Rollback', progressDeadline: '5m' } }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1'));
      await change(cluster, { image: 'cache:broken' });
      await until(() => rolledBack(cluster) || rollbackFailed(cluster));
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
    actions: meddling,
  },
};

/** An upgrade fails and stops; the spec is changed to something that works. */
export const stop: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  livesVary: ['clock'],
  scenario: {
    ...common,
    name: 'an upgrade that fails and stops, until the spec changes',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { progressDeadline: '5m' } }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1'));
      await change(cluster, { image: 'cache:missing' });
      await until(() => said(cluster, 'Available') === 'False UpgradeFailed');
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};

/** The spec changes twice in the middle, the second time back to where it was. */
export const reverted: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  livesVary: ['clock'],
  scenario: {
    ...common,
    name: 'an upgrade that is changed and reverted in the middle',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1'));
      await change(cluster, { image: 'cache:2' });
      await until(() => images(cluster).includes('cache:2') || failed(cluster));
      await change(cluster, { image: 'cache:broken' });
      await until(() => images(cluster).includes('cache:broken') || failed(cluster));
      await change(cluster, { image: 'cache:1' });
      await untilAllRun(cluster, 'cache:1', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:1'),
  },
};

/** The cache grows and shrinks again. */
export const scale: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    name: 'growth and shrinkage',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, replicas: 2 }));
    },
    drive: async (cluster, until) => {
      await until(() => isSettled(cluster));
      await change(cluster, { replicas: 4 });
      await until(() => isSettled(cluster));
      await change(cluster, { replicas: 1 });
    },
    isDone: (cluster) => isSettled(cluster) && members(cluster).length === 1,
    actions: meddling,
  },
};

const childrenLeft = (cluster: SimulatedCluster): string[] =>
  ['services', 'poddisruptionbudgets.policy', 'jobs.batch'].flatMap((kind) =>
    cluster.server.store
      .snapshot(kind)
      .filter(([, { metadata }]) => metadata.ownerReferences)
      .map(([key]) => `${kind} ${key}`),
  );

/** The cache is deleted while a member is held before a closed gate. */
export const deletion: Searched = {
  oracles: cacheInvariants,
  faults: everyFault,
  scenario: {
    ...common,
    name: 'a deletion in the middle of an upgrade',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, image: 'cache:stubborn' }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:stubborn'));
      await change(cluster, { image: 'cache:2' });
      await until(() => cacheNow(cluster)?.status?.upgrade?.step === 'AwaitingGate' || failed(cluster));
      await caches(cluster).delete('sessions');
    },
    isDone: (cluster) =>
      cacheNow(cluster) === undefined && members(cluster).length === 0 && setNow(cluster) === undefined,
    leaks: childrenLeft,
  },
};

interface Leadership {
  leader: string;
}
const leaderships = new WeakMap<SimulatedCluster, Leadership>();
const leadershipOf = (cluster: SimulatedCluster): Leadership => {
  const known = leaderships.get(cluster) ?? { leader: 'sessions-2' };
  leaderships.set(cluster, known);
  return known;
};

/** The members' own election: where the leader is gone or does not work, another takes over. One that is only asked to end leads on. */
function elect(cluster: SimulatedCluster): void {
  const leadership = leadershipOf(cluster);
  const leader = members(cluster).find(({ metadata }) => metadata.name === leadership.leader);
  if (leader?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
  const heir = members(cluster).find(isReady);
  if (heir) leadership.leader = heir.metadata.name;
}

/** A member that leads hands over before it goes; followers go first. */
export const leaderLast: Searched = {
  oracles: [
    ...cacheInvariants,
    {
      name: 'a leader is never deleted (I5)',
      afterChange: (cluster, { kind }) => {
        if (kind === 'pods') elect(cluster);
        return undefined;
      },
      afterRequest: (cluster, { verb, kind, name, status }) =>
        verb === 'delete' &&
        kind === 'pods' &&
        status < 300 &&
        leadershipOf(cluster).leader === name &&
        members(cluster).filter(isReady).length > 1
          ? `${name} was deleted while it led`
          : undefined,
    },
  ],
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade in which the leader comes last and hands over',
    setUp: async (cluster) => {
      const http = (
        { url }: { readonly url: URL },
        { pod }: { readonly pod: string },
      ): number | { status: number; body: string } => {
        const leadership = leadershipOf(cluster);
        if (url.pathname === '/role') return { status: 200, body: leadership.leader === pod ? 'master' : 'replica' };
        if (url.pathname === '/handoff' && leadership.leader === pod) {
          const heir = members(cluster).find((one) => one.metadata.name !== pod && isReady(one));
          if (!heir) return 503;
          leadership.leader = heir.metadata.name;
        }
        return 200;
      };
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      const role = { leaderValue: 'master', http: { path: '/role' } };
      const handoff = { http: { path: '/handoff' } };
      await caches(cluster).create(cache({ podTemplate, upgrade: { order: 'LeaderLast', role, handoff } }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1'));
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
  },
};

/** Every scenario of ClusteredCache. */
export const cacheScenarios: readonly Searched[] = [
  upgrade,
  closedGate,
  rollback,
  stop,
  reverted,
  scale,
  deletion,
  leaderLast,
];
