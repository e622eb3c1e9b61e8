import { pods, statefulSets } from '@ordinal/client';
import { purposeLabel } from '@ordinal/constructs';
import type { TestCluster } from '@ordinal/simulator';
import { pass } from '../faults/pass.ts';
import { images } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { patient, searched, setUp } from './scenario.ts';
import { allRun, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

/** The image of a task that takes its time. */
const slowImage = 'example.com/task:slow';
const slowly = { command: ['work'], image: slowImage, deadline: '9h' } as const;

/** Whether a Job of this purpose is at work. */
const isAtWork = (cluster: TestCluster, purpose: string): boolean =>
  cluster.objects
    .list(pods, 'default')
    .some(({ metadata, status }) => metadata.labels?.[purposeLabel] === purpose && status?.phase === 'Running');

/** Whether the StatefulSet has the template of this version, of which no member has been made yet. */
const isApplied = (cluster: TestCluster, version: string): boolean =>
  cluster.objects
    .find(statefulSets, 'default', 'orders')
    ?.spec.template.spec?.containers[0]?.image?.endsWith(`:${version}`) === true;

/** While a Job is at work that a cluster is restored, upgraded or made smaller by, a user wants something else. */
export const turns = searched({
  name: 'a restore, an upgrade and a reduction, each replaced by another while its Job is at work',
  setUp: async (cluster) => {
    cluster.image(slowImage, { run: () => new Promise<number>(() => undefined) });
    await setUp({
      restoreFrom: { backup: 'monday', job: slowly },
      upgrade: { ...patient, beforeFirstPod: slowly },
      scaleDown: { before: slowly },
      // The older version wants no other members: the Job before them would not end.
      podTemplate: {},
    })(cluster);
  },
  drive: async (cluster, until) => {
    await until(() => isAtWork(cluster, 'Restore'));
    await change(cluster, { replicas: 4, restoreFrom: { job: { command: ['restore'], image: null } } });
    await until(() => allRun(cluster, '1.0') && images(cluster).length === 4);
    await change(cluster, { version: '2.0' });
    await until(() => isAtWork(cluster, 'BeforeUpgrade') && isApplied(cluster, '2.0'));
    await change(cluster, { version: '3.0' });
    await until(() => isApplied(cluster, '3.0'));
    await pass(cluster, until, 30_000);
    await change(cluster, { version: '1.0' });
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { replicas: 3 });
    await until(() => isAtWork(cluster, 'BeforeScaleDown'));
    await change(cluster, { storage: { size: '11Gi' } });
    await pass(cluster, until, 30_000);
    await change(cluster, { replicas: 4 });
  },
  isDone: (cluster) =>
    allRun(cluster, '1.0') &&
    images(cluster).length === 4 &&
    !['Restore', 'BeforeUpgrade', 'BeforeScaleDown'].some((purpose) => isAtWork(cluster, purpose)),
});
