import { pods, statefulSets } from '@ordinal/client';
import type { ExploreOptions, Invariant, Scenario, SimulatedCluster } from '@ordinal/testing';
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
  said,
  setNow,
} from './cache-world.ts';
import { cacheInvariants, gateIsKept } from './invariants.ts';

/** A scenario and what must hold in it. */
export interface Searched {
  readonly scenario: Scenario;
  /** The classes of faults; all unless told. */
  readonly faults?: NonNullable<ExploreOptions['faults']>;
  readonly oracles: readonly Invariant[];
}

const allRun = (cluster: SimulatedCluster, image: string): boolean =>
  isSettled(cluster) &&
  images(cluster).every((one) => one === image) &&
  cacheNow(cluster)?.status?.currentVersion === image;

const failed = (cluster: SimulatedCluster): boolean => said(cluster, 'Available') === 'False UpgradeFailed';

/** Waits until all run the image. A user whose upgrade fails under the faults asks for it again. */
async function untilAllRun(
  cluster: SimulatedCluster,
  image: string,
  until: (condition: () => boolean) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; !allRun(cluster, image); attempt += 1) {
    await until(() => allRun(cluster, image) || (failed(cluster) && cacheNow(cluster)?.spec.image === image));
    if (allRun(cluster, image)) return;
    const annotations = { 'cache.my.domain/retry-upgrade': `${attempt}` };
    await caches(cluster).patch('sessions', { type: 'merge', body: { metadata: { annotations } } });
    await until(() => allRun(cluster, image) || !failed(cluster));
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

const common = { cluster: cacheCluster, operator: cacheOperator(), stateOf, maxVirtualMs: 1_800_000 } as const;

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
  scenario: {
    ...common,
    name: 'an upgrade of three members',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ upgrade: { gates: [] } }));
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
  faults: [
    'crash',
    'ambiguous',
    'refuse',
    'stale',
    'unobserved',
    'timeTravel',
    'outage',
    'clock',
    'permission',
    'twoLeaders',
  ],
  scenario: {
    ...common,
    name: 'an upgrade whose gate opens late',
    setUp: async (cluster) => {
      installImages(cluster);
      const http = ({ url }: { readonly url: URL }): number =>
        url.pathname === '/ready-for-shutdown' && !opened.has(cluster) ? 503 : 200;
      for (const version of ['1', '2']) cluster.image(`cache:${version}`, { startsIn: 2000, http });
      await caches(cluster).create(cache());
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

/** A clock that jumps moves the deadline, and with it how far an upgrade gets before it fails: then pods do not come and go as often. */
const withoutClock = [
  'crash',
  'ambiguous',
  'refuse',
  'stale',
  'unobserved',
  'timeTravel',
  'user',
  'pod',
  'outage',
  'permission',
] as const;

/** An upgrade to an image that never gets ready is rolled back; then another one works. */
export const rollback: Searched = {
  oracles: cacheInvariants,
  faults: withoutClock,
  scenario: {
    ...common,
    name: 'an upgrade that fails, is rolled back, and is followed by another',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ upgrade: { onFailure: 'Rollback', progressDeadline: '5m' } }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1'));
      await change(cluster, { image: 'cache:broken' });
      await until(
        () => said(cluster, 'Available') === 'True RolledBack' && images(cluster).every((one) => one === 'cache:1'),
      );
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
  faults: withoutClock,
  scenario: {
    ...common,
    name: 'an upgrade that fails and stops, until the spec changes',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ upgrade: { progressDeadline: '5m' } }));
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
  faults: withoutClock,
  scenario: {
    ...common,
    name: 'an upgrade that is changed and reverted in the middle',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache());
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1'));
      await change(cluster, { image: 'cache:2' });
      await until(() => images(cluster).includes('cache:2'));
      await change(cluster, { image: 'cache:broken' });
      await until(() => images(cluster).includes('cache:broken'));
      await change(cluster, { image: 'cache:1' });
      await untilAllRun(cluster, 'cache:1', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:1'),
  },
};

/** The cache grows and shrinks again. */
export const scale: Searched = {
  oracles: cacheInvariants,
  scenario: {
    ...common,
    name: 'growth and shrinkage',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ replicas: 2 }));
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
  scenario: {
    ...common,
    name: 'a deletion in the middle of an upgrade',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ image: 'cache:stubborn' }));
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

/** A member that leads hands over before it goes; followers go first. */
export const leaderLast: Searched = {
  oracles: [
    ...cacheInvariants,
    {
      name: 'a leader is never deleted (I5)',
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
  faults: ['crash', 'ambiguous', 'refuse', 'stale', 'unobserved', 'timeTravel', 'outage', 'permission', 'twoLeaders'],
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
      await caches(cluster).create(cache({ upgrade: { order: 'LeaderLast', role, handoff } }));
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
