import type { Pod, StatefulSet } from '@ordinal/client';
import { statefulSets } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import type { Searched } from '../engine/searched.ts';
import {
  allHaveData,
  close,
  guardedMembers,
  guards,
  installGuardedImages,
  leaderOf,
  releases,
  serves,
  wrongWith,
} from '../../../libs/reconcilers/test/kv-store-cluster/guarded-world.ts';
import { kvStoreInvariants } from './invariants.ts';
import {
  images,
  installImages,
  store,
  storeNow,
} from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { patient, podTemplate, rolledBack, searched } from './scenario.ts';
import { allRun, change, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const revisionIn = ({ annotations }: { readonly annotations?: Readonly<Record<string, string>> } = {}) =>
  annotations?.[templateHashAnnotation];

const ordinalOf = ({ metadata: { name } }: Pod): number => Number(name.slice(name.lastIndexOf('-') + 1));

/** The serving members that a StatefulSet's controller takes down because of what it asks for: the highest first. */
function releasedBy(cluster: TestCluster, { spec }: StatefulSet): readonly Pod[] {
  const { replicas = 1, updateStrategy, template } = spec;
  const from = updateStrategy?.rollingUpdate?.partition ?? 0;
  return guardedMembers(cluster)
    .filter((pod) => serves(pod))
    .filter(
      (pod) =>
        ordinalOf(pod) >= replicas ||
        (ordinalOf(pod) >= from && revisionIn(pod.metadata) !== revisionIn(template.metadata)),
    )
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
}

/** Who was released has come back as what is wanted, or has left for good. */
function noteReturns(cluster: TestCluster): void {
  const { down, replaced } = releases.of(cluster);
  const set = cluster.objects.find(statefulSets, 'default', 'orders');
  for (const name of down) {
    const pod = guardedMembers(cluster).find(({ metadata }) => metadata.name === name);
    const isGone = !pod && Number(name.slice(name.lastIndexOf('-') + 1)) >= (set?.spec.replicas ?? 1);
    if (!isGone && !(pod && serves(pod) && revisionIn(pod.metadata) === revisionIn(set?.spec.template.metadata)))
      continue;
    down.delete(name);
    if (pod && !isGone) replaced.add(pod.metadata.uid);
  }
}

/** The StatefulSet of these histories is changed by the operator only: whom a change releases that was not released before, it has released. */
const guardsAreKept: Invariant = {
  name: 'a member of a KVStoreCluster is released only when every gate is open, and one at a time (S0.1, I4, I5, I8)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (kind === 'pods') {
      leaderOf(cluster);
      noteReturns(cluster);
    }
    const current = storeNow(cluster)?.status?.currentRevision;
    // A cluster that was never complete has nothing to protect.
    if (kind !== 'statefulsets.apps' || type !== 'MODIFIED' || !previous || current === undefined) return undefined;
    const before = new Set(releasedBy(cluster, previous as StatefulSet).map(({ metadata }) => metadata.uid));
    const [first, ...others] = releasedBy(cluster, object as StatefulSet).filter(
      ({ metadata }) => !before.has(metadata.uid),
    );
    if (!first) return undefined;
    const wrong = wrongWith(cluster, first);
    releases.of(cluster).down.add(first.metadata.name);
    const [second] = others;
    // Whoever had gone ahead to a third template can't be held alone (I30).
    if (wrong !== undefined || !second || others.every(({ metadata }) => revisionIn(metadata) !== current))
      return wrong;
    return `${second.metadata.name} was released together with ${first.metadata.name}`;
  },
};

const setUp =
  (spec: Parameters<typeof store>[0] = {}) =>
  async (cluster: TestCluster): Promise<void> => {
    await installImages(cluster);
    installGuardedImages(cluster);
    await resource(cluster).create(
      store({ port: 6379, podTemplate, ...spec, upgrade: { ...patient, ...guards, ...spec.upgrade } }),
    );
  };

const guarded = (scenario: Parameters<typeof searched>[0]): Searched => ({
  ...searched(scenario),
  oracles: [...kvStoreInvariants, guardsAreKept],
});

/** Every member hands over, waits for its gates, and is followed when it has caught up; then two leave for good in the same way. */
export const guardedUpgrade = guarded({
  name: 'an upgrade of a KVStoreCluster that is guarded, and shrinkage through the same gates',
  setUp: setUp(),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    allHaveData(cluster);
    close(cluster, 60_000);
    await change(cluster, { version: '2.0' });
    await until(() => allRun(cluster, '2.0'));
    close(cluster, 60_000);
    await change(cluster, { replicas: 1 });
  },
  isDone: (cluster) => allRun(cluster, '2.0') && guardedMembers(cluster).length === 1,
});

/** By canaries, each of which bakes. */
export const guardedCanary = guarded({
  name: 'an upgrade of a KVStoreCluster by canaries that is guarded',
  setUp: setUp({ upgradeStrategy: 'Canary', canary: { replicas: 1, bake: '1m' } }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    allHaveData(cluster);
    close(cluster, 60_000);
    await change(cluster, { version: '2.0' });
  },
  isDone: (cluster) => allRun(cluster, '2.0'),
});

/** By its record it has never come up, as after a restore of etcd: there is nothing to go back to, and a version that does not work stays until another one is asked for. */
const isFirst = (cluster: TestCluster): boolean =>
  images(cluster).includes('broken') && storeNow(cluster)?.status?.currentVersion === undefined;

/** An upgrade stands at a gate until it has failed; what has gone ahead goes back through its gates, and another upgrade works. */
export const guardedRollback: Searched = {
  livesVary: ['clock'],
  ...guarded({
    name: 'an upgrade of a KVStoreCluster that fails at a gate, and goes back through the gates',
    setUp: setUp({ upgrade: { progressDeadline: '5m' } }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      allHaveData(cluster);
      await change(cluster, { version: 'broken' });
      await until(() => images(cluster)[2] === 'broken' || rolledBack(cluster, '1.0'));
      close(cluster, 900_000);
      await until(() => rolledBack(cluster, '1.0') || isFirst(cluster));
      await change(cluster, { version: '2.0', upgrade: patient });
    },
    isDone: (cluster) => allRun(cluster, '2.0'),
  }),
};
