import type { ClusteredCache } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  cacheNow,
  caches,
  change,
  installImages,
  isReady,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, meddling, podTemplate, untilAllRun } from './scenario.ts';
import { allRun, failed } from '../../../libs/reconcilers/test/clustered-cache/upgrade-states.ts';

/** What members looked like last, by their names: at the time of its deletion one is what it was before. */
const known = new WeakMap<TestCluster, Map<string, Pod>>();

function lastIn(cluster: TestCluster): Map<string, Pod> {
  const last = known.get(cluster) ?? new Map<string, Pod>();
  known.set(cluster, last);
  return last;
}

const revisionOf = ({ metadata }: Pod): string | undefined => metadata.annotations?.[templateHashAnnotation];

/** Those that run this revision and have not passed as it. A pod that has just come may be newer than what the operator has seen: it is known by its name. */
function unjudged({ status }: ClusteredCache, present: readonly Pod[], revision: string): readonly Pod[] {
  const passed = status?.upgrade?.analysed?.filter((one) => one.result === 'Passed' && one.revision === revision) ?? [];
  return present.filter(
    (pod) => revisionOf(pod) === revision && !passed.some((judgement) => judgement.pod === pod.metadata.name),
  );
}

/** A canary goes first: no member that serves is taken down for an upgrade by canaries while one that runs what is wanted was not judged. */
export const cacheCanaryGoesFirst: Invariant = {
  name: 'no member of a cache follows a canary that was not judged (S0.3, S0.9)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind !== 'pods' || type === 'DELETED') return undefined;
    const pod = object as Pod; // Of kind pods.
    const before = previous as Pod | undefined;
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    if (!isLeaving) lastIn(cluster).set(pod.metadata.name, pod);
    else if (before && before.metadata.deletionTimestamp === undefined) lastIn(cluster).set(pod.metadata.name, before);
    return undefined;
  },
  afterRequest: (cluster, { verb, kind, name = '', status, subresource }) => {
    if (verb !== 'delete' || kind !== 'pods' || status >= 300 || subresource !== undefined) return undefined;
    const now = cacheNow(cluster);
    const { upgrade, currentRevision } = now?.status ?? {};
    const target = lastIn(cluster).get(name);
    if (!now || !upgrade || currentRevision === undefined || upgrade.revision === currentRevision) return undefined;
    if (!target || !isReady(target) || revisionOf(target) === upgrade.revision) return undefined;
    const [first] = unjudged(now, members(cluster).filter(isReady), upgrade.revision);
    return first && `${name} was deleted before ${first.metadata.name} was judged as ${upgrade.revision}`;
  },
};

/** When an upgrade by canaries is said to be complete, each member has passed as what it runs. */
export const cacheMembersAreJudged: Invariant = {
  name: 'an upgrade of a cache by canaries is complete only when each of its pods was judged (S0.9)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind !== 'clusteredcaches.cache.my.domain' || type !== 'MODIFIED') return undefined;
    const [now, before] = [object as ClusteredCache, previous as ClusteredCache | undefined]; // Of this kind.
    const revision = now.status?.currentRevision;
    if (revision === undefined || before?.status?.currentRevision === undefined) return undefined;
    if (before.status.currentRevision === revision || before.status.upgrade?.revision !== revision) return undefined;
    const left = unjudged(before, members(cluster), revision).map(({ metadata }) => metadata.name);
    return left.length === 0 ? undefined : `${left.join(', ')} was never judged, and the upgrade counts as complete`;
  },
};

/** A canary answers that it is not good, with which the upgrade stops; another version is good. */
export const canaried: Searched = {
  oracles: [...cacheInvariants, cacheCanaryGoesFirst, cacheMembersAreJudged],
  faults: everyFault,
  scenario: {
    ...common,
    name: 'an upgrade whose canary fails its analysis, and another whose canary passes',
    setUp: async (cluster) => {
      installImages(cluster);
      cluster.image('cache:bad', { startsIn: 2000, http: ({ url }) => (url.pathname === '/good' ? 500 : 200) });
      const canary = { bake: '30s', analysis: { http: { path: '/good' } } } as const;
      await caches(cluster).create(cache({ podTemplate, upgrade: { canary } }));
    },
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, 'cache:1') || failed(cluster));
      await change(cluster, { image: 'cache:bad' });
      await until(() => cacheNow(cluster)?.spec.image === 'cache:bad' && failed(cluster));
      await pass(cluster, until, 60_000);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => allRun(cluster, 'cache:2'),
    actions: meddling,
  },
};
