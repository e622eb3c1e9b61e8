import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Job } from '@ordinal/client';
import { jobs, persistentVolumeClaims } from '@ordinal/client';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFaultBut } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { backedUp, searched, setUp } from './scenario.ts';
import { allRun, annotate, change, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

type Drill = NonNullable<NonNullable<KVStoreCluster['status']>['drills']>[number];

/** The drills that a status lists. */
export const drillsIn = (store: KVStoreCluster | undefined): readonly Drill[] => store?.status?.drills ?? [];

const isClosed = (cluster: TestCluster, name: string): boolean =>
  drillsIn(storeNow(cluster)).some((drill) => drill.name === name && drill.finishedAt !== undefined);

/** The check of this drill has begun. */
const isBeingChecked = (cluster: TestCluster, name: string): boolean =>
  cluster.objects
    .list(jobs)
    .some(
      ({ metadata: { labels, annotations } }) =>
        labels?.[purposeLabel] === 'RestoreDrill' && annotations?.[subjectAnnotation]?.startsWith(`${name}@`),
    );

const scratchesIn = (cluster: TestCluster): readonly KVStoreCluster[] =>
  cluster.objects.list(kvStoreClusters).filter(({ metadata }) => metadata.name !== 'orders');

const isOrders = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
  kind === 'kvstoreclusters.kvstore.example.com' && name === 'orders';

/** What was left behind of scratch clusters. */
export const leftIn = (cluster: TestCluster): readonly string[] => [
  ...scratchesIn(cluster).map(({ metadata }) => metadata.name),
  ...cluster.objects
    .list(persistentVolumeClaims)
    .flatMap(({ metadata: { name } }) => (name.startsWith('data-orders-drill-') ? [name] : [])),
];

/** A record is closed when the scratch cluster and its volumes are gone, and in the end there is none. */
export const scratchesAreRemoved: Invariant = {
  name: 'a scratch cluster is always removed, and its drill is open until it is',
  afterChange: (cluster, { kind, type, object }) => {
    if (type === 'DELETED' || !isOrders({ kind, name: object.metadata.name })) return undefined;
    const closed = drillsIn(object as KVStoreCluster).filter(({ finishedAt }) => finishedAt !== undefined); // Of this kind.
    const left = scratchesIn(cluster).find(({ metadata }) =>
      closed.some(({ clusterUID }) => clusterUID === metadata.uid),
    );
    return left && `the drill of ${left.metadata.name} is closed, and it is still there`;
  },
  atEnd: (cluster) => {
    const left = leftIn(cluster);
    return left.length === 0 ? undefined : `${left.join(', ')} is left of a restore drill`;
  },
};

/** Kinds of which the operator takes away nothing of the cluster, for as long as that lives. */
const untouched: ReadonlySet<string> = new Set(['pods', 'persistentvolumeclaims', 'statefulsets.apps', 'services']);

/** Nothing that a drill does is about the members of the cluster, or their volumes. */
export const clusterIsUntouched: Invariant = {
  name: 'a restore drill does not touch the real cluster',
  afterRequest: (cluster, { verb, kind, name = '', status, subresource }) => {
    if (verb !== 'delete' || status >= 300 || subresource !== undefined || !untouched.has(kind)) return undefined;
    const isOfCluster = /^(data-)?orders(-\d+|-client)?$/.test(name);
    const isLiving = storeNow(cluster)?.metadata.deletionTimestamp === undefined;
    return isOfCluster && isLiving ? `${kind} ${name} was deleted` : undefined;
  },
};

/** The subjects of checks that have succeeded, in each history. */
const passed = new WeakMap<TestCluster, Set<string>>();

/** A result is that of the Job that has looked at what was restored. */
const resultsAreTrue: Invariant = {
  name: 'a restore drill that did not pass is never recorded as passed',
  afterChange: (cluster, { kind, type, object }) => {
    const known = passed.get(cluster) ?? new Set<string>();
    passed.set(cluster, known);
    const { labels, annotations, name } = object.metadata;
    if (kind === 'jobs.batch' && labels?.[purposeLabel] === 'RestoreDrill') {
      const { status } = object as Job; // Of this kind.
      const isComplete = status?.conditions?.some((one) => one.type === 'Complete' && one.status === 'True');
      if (isComplete === true) known.add(annotations?.[subjectAnnotation] ?? '');
    }
    if (type === 'DELETED' || !isOrders({ kind, name })) return undefined;
    const untrue = drillsIn(object as KVStoreCluster) // Of this kind.
      .filter(({ result }) => result === 'Succeeded')
      .find((drill) => drill.name !== 'good' || !known.has(`${drill.name}@${drill.startedAt}`));
    return untrue && `the drill ${untrue.name} is recorded as passed, and its check has not succeeded`;
  },
};

const drill = { restore: { command: ['restore'] }, check: { command: ['check'] }, deadline: '3h' };

/** One drill passes, the check of another fails, and the cluster is deleted while the check of a third does not end. */
export const drills: Searched = {
  // Where the UID of a scratch cluster is not recorded right after that was made, it is unknown which client has made it, and another one is made. An operator that travels in time has ended first, as in a crash.
  livesVary: ['clock', 'crash', 'timeTravel', 'ambiguous', 'refuse', 'twoLeaders'],
  ...searched({
    name: 'restore drills that pass and fail, and a deletion during one',
    setUp: setUp({
      replicas: 2,
      deletionPolicy: 'Delete',
      backup: { job: { command: ['backup'] }, onDelete: 'Skip', drill },
    }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
      await until(() => backedUp(cluster, 'monday'));
      await annotate(cluster, { 'ordinal.dev/restore-drill': 'good' });
      await until(() => isClosed(cluster, 'good'));
      await change(cluster, { backup: { drill: { check: { command: ['fail'], retries: 0 } } } });
      await annotate(cluster, { 'ordinal.dev/restore-drill': 'bad' });
      await until(() => isClosed(cluster, 'bad'));
      await change(cluster, { backup: { drill: { check: { command: ['linger'] } } } });
      await annotate(cluster, { 'ordinal.dev/restore-drill': 'endless' });
      await until(() => isBeingChecked(cluster, 'endless') || isClosed(cluster, 'endless'));
      await resource(cluster).delete('orders');
    },
    isDone: (cluster) => storeNow(cluster) === undefined && leftIn(cluster).length === 0,
  }),
  // The version before knows no pod template, and brings that to the members. A restored etcd may hold a scratch cluster again, or none.
  faults: everyFaultBut('oldVersion', 'restore'),
  oracles: [...kvStoreInvariants, scratchesAreRemoved, clusterIsUntouched, resultsAreTrue],
};
