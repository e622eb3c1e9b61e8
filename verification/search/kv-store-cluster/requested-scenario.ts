import type { Job, PersistentVolumeClaim } from '@ordinal/client';
import { jobs } from '@ordinal/client';
import { purposeLabel, subjectAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import type { Searched } from '../engine/searched.ts';
import { tidying } from './deletion-scenarios.ts';
import { kvStoreInvariants } from './invariants.ts';
import { images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { backedUp, claims, searched, setUp } from './scenario.ts';
import { allRun, annotate, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const conditionIn = ({ status }: Job, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

const isOfMonday = ({ metadata }: Job): boolean =>
  metadata.labels?.[purposeLabel] === 'Backup' && metadata.annotations?.[subjectAnnotation] === 'monday';

const made = new WeakMap<TestCluster, Set<string>>();

/** The Jobs by the name of this backup that have succeeded. */
function madeIn(cluster: TestCluster): Set<string> {
  const known = made.get(cluster) ?? new Set<string>();
  made.set(cluster, known);
  return known;
}

const isGoing = (claim: PersistentVolumeClaim | undefined): boolean => claim?.metadata.deletionTimestamp !== undefined;

/** It was asked for twice, so that two Jobs have to have succeeded. */
const volumesWaitForIt: Invariant = {
  name: 'no volume goes before the backup that was asked for has succeeded (I11)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    const job = object as Job; // Read where it is of this kind.
    if (kind === 'jobs.batch' && isOfMonday(job) && conditionIn(job, 'Complete')) madeIn(cluster).add(job.metadata.uid);
    if (kind !== 'persistentvolumeclaims') return undefined;
    const [now, before] = [object as PersistentVolumeClaim, previous as PersistentVolumeClaim | undefined];
    const isLeaving = (type === 'DELETED' || isGoing(now)) && !isGoing(before);
    return isLeaving && madeIn(cluster).size < 2
      ? `${object.metadata.name} goes, and the backup was not made`
      : undefined;
  },
};

const isGone = (cluster: TestCluster): boolean => storeNow(cluster) === undefined;

const isHeld = (cluster: TestCluster): boolean =>
  storeNow(cluster)?.status?.conditions?.some(
    ({ type, reason, message }) => type === 'Degraded' && reason === 'BackupFailed' && message.includes('try it again'),
  ) ?? false;

/** As the condition says. */
async function tryAgain(cluster: TestCluster): Promise<void> {
  for (const job of cluster.objects.list(jobs, 'default'))
    if (isOfMonday(job) && conditionIn(job, 'Failed'))
      await cluster.client()(jobs).namespace('default').delete(job.metadata.name, { propagationPolicy: 'Background' });
}

/** A backup is asked for that has the name of one before, and right then the cluster is deleted with its volumes, of which there is no other backup that is as new. Where it fails, a user tries it again. */
export const requested: Searched = {
  livesVary: ['clock'],
  ...searched({
    name: 'a deletion right after a backup was asked for, which is the only one',
    setUp: setUp({
      replicas: 2,
      backup: { job: { command: ['backup'] }, onDelete: 'Skip' },
      deletionPolicy: 'Delete',
    }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      for (const name of ['monday', 'tuesday']) {
        await annotate(cluster, { 'ordinal.dev/backup': name });
        await until(() => backedUp(cluster, name));
      }
      await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
      await resource(cluster).delete('orders');
      while (!isGone(cluster)) {
        await until(() => isGone(cluster) || isHeld(cluster));
        await tryAgain(cluster);
        await until(() => !isHeld(cluster));
      }
    },
    isDone: (cluster) => isGone(cluster) && images(cluster).length === 0 && claims(cluster).length === 0,
    actions: tidying,
  }),
  oracles: [...kvStoreInvariants, volumesWaitForIt],
};
