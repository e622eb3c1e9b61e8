import type { Job, Pod, StatefulSet } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { ailing, failing, images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { isKept } from './kept-members.ts';
import { claimsLeft, meddling, patient, searched, setUp } from './scenario.ts';
import {
  allRun,
  annotate,
  change,
  jobHasFailed,
  resource,
} from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

/** Of one history: which purposes a Job has succeeded for, and those for reductions that none has been made on the strength of yet. */
interface Done {
  readonly purposes: Set<string>;
  unusedScaleDowns: number;
}

const known = new WeakMap<TestCluster, Done>();

function doneIn(cluster: TestCluster): Done {
  const done = known.get(cluster) ?? { purposes: new Set<string>(), unusedScaleDowns: 0 };
  known.set(cluster, done);
  return done;
}

const succeeded = ({ status }: Job): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Complete' && is === 'True') ?? false;

/** Counts Jobs that succeed. */
function count(cluster: TestCluster, job: Job, before: Job | undefined): void {
  if (!succeeded(job) || (before && succeeded(before))) return;
  const purpose = job.metadata.labels?.[purposeLabel] ?? '';
  const done = doneIn(cluster);
  done.purposes.add(purpose);
  if (purpose === 'BeforeScaleDown') done.unusedScaleDowns += 1;
}

/** Only the operator makes a StatefulSet smaller here. One Job is for one reduction. */
function reduced(cluster: TestCluster, from: number, to: number): string | undefined {
  const done = doneIn(cluster);
  if (to >= from) return undefined;
  if (done.unusedScaleDowns === 0) return `the StatefulSet shrank from ${from} to ${to} before its Job had succeeded`;
  done.unusedScaleDowns = 0;
  return undefined;
}

/** How large a StatefulSet has to be for the members that an earlier one has left behind: for those that the cluster controls meanwhile it needs no room yet. */
function left(cluster: TestCluster): number {
  const ordinals = cluster.objects
    .list(pods, 'default')
    .filter(({ metadata }) => /^orders-\d+$/.test(metadata.name) && metadata.deletionTimestamp === undefined)
    .filter((pod) => !isKept(pod))
    .map(({ metadata }) => Number(metadata.name.slice('orders-'.length)));
  return Math.max(0, ...ordinals.map((ordinal) => ordinal + 1));
}

/** A user who takes the partition away and adds members at the same time has them made of the new template before any operator can see it. */
const { 'set the partition of the StatefulSet to three': _partition, ...mending } = meddling;

/** What a Job has to come before does not happen before one has succeeded. */
const hooksComeFirst: Invariant = {
  name: 'nothing happens before the Job that has to come first has succeeded',
  afterChange: (cluster, { kind, type, object, previous }) => {
    if (type === 'DELETED') return undefined;
    if (kind === 'jobs.batch') count(cluster, object as Job, previous as Job | undefined);
    if (kind === 'pods' && type === 'ADDED') {
      const { metadata, spec } = object as Pod; // Of this kind.
      const isMember = metadata.labels?.['app'] === 'orders';
      const isUpdated = spec.containers[0]?.image?.endsWith(':2.0');
      if (isMember && isUpdated && !doneIn(cluster).purposes.has('BeforeUpgrade'))
        return `${metadata.name} was replaced before the Job of the upgrade had succeeded`;
    }
    if (kind !== 'statefulsets.apps') return undefined;
    const before = previous ? ((previous as StatefulSet).spec.replicas ?? 1) : left(cluster);
    return reduced(cluster, before, (object as StatefulSet).spec.replicas ?? 1);
  },
  afterRequest: (cluster, { verb, kind, name, status }) => {
    if (verb !== 'delete' || status >= 300) return undefined;
    const { purposes } = doneIn(cluster);
    if (purposes.has('BeforeDelete')) return undefined;
    if (kind === 'statefulsets.apps') return 'the StatefulSet was deleted before the Job of the deletion had succeeded';
    return kind === 'persistentvolumeclaims' && !purposes.has('BeforeScaleDown')
      ? `the claim ${name ?? ''} was deleted before the Job of the reduction had succeeded`
      : undefined;
  },
};

/** A user deletes the member that is to leave, and may not yet: it comes back, when the first one is ready again. */
async function loseLast(cluster: TestCluster, until: (condition: () => boolean) => Promise<void>): Promise<void> {
  ailing.set(cluster, 'orders-0');
  await pass(cluster, until, 20_000);
  if (cluster.objects.find(pods, 'default', 'orders-2'))
    await cluster.client()(pods).namespace('default').delete('orders-2');
  await pass(cluster, until, 20_000);
  ailing.delete(cluster);
  await until(() => images(cluster).length >= 3 && (storeNow(cluster)?.status?.readyReplicas ?? 0) >= 3);
}

/** An upgrade, a reduction and a deletion, each of which a Job has to come before, and a backup that a user asks for. The Jobs before the upgrade and the reduction fail at first, and no final backup works, which is not required. */
export const hooked: Searched = {
  // Where the StatefulSet is shown as it was before it was made smaller, the Job that has to come before that runs once more. A final backup that is not required is tried once: refused, it was.
  livesVary: ['timeTravel', 'twoLeaders', 'refuse'],
  ...searched({
    name: 'an upgrade, a backup, shrinkage and a deletion, each with its Job',
    setUp: setUp({
      upgrade: { ...patient, beforeFirstPod: { command: ['migrate'] } },
      scaleDown: { before: { command: ['move'] }, claims: 'Delete' },
      delete: { before: { command: ['release'] } },
      backup: { job: { command: ['backup'] }, onDelete: 'BestEffort' },
      deletionPolicy: 'Delete',
    }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      failing.set(cluster, 'migrate');
      await change(cluster, { version: '2.0' });
      await until(() => storeNow(cluster)?.status?.phase === 'Failed');
      await change(cluster, { version: '1.0' });
      failing.delete(cluster);
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: '2.0' });
      await until(() => allRun(cluster, '2.0'));
      await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
      await until(() => storeNow(cluster)?.status?.lastBackup?.name === 'monday');
      failing.set(cluster, 'move');
      await change(cluster, { replicas: 2 });
      await until(() => jobHasFailed(cluster, 'BeforeScaleDown'));
      await pass(cluster, until, 30_000);
      await loseLast(cluster, until);
      failing.delete(cluster);
      await change(cluster, { scaleDown: { before: { command: ['move', 'again'] } } });
      await until(() => images(cluster).length === 2 && allRun(cluster, '2.0'));
      failing.set(cluster, 'backup');
      await resource(cluster).delete('orders');
    },
    isDone: (cluster) => storeNow(cluster) === undefined && images(cluster).length === 0,
    leaks: claimsLeft,
    actions: mending,
  }),
  oracles: [...kvStoreInvariants, hooksComeFirst],
};
