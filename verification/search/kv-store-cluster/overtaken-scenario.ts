import { pods } from '@ordinal/client';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { images } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { meddling, patient, searched, setUp } from './scenario.ts';
import { allRun, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

/** A third version is asked for while the second is half done and paused, and a member that runs the second is deleted. */
export const overtaken: Searched = searched({
  name: 'an upgrade that is paused in the middle, and that another version overtakes',
  setUp: setUp(),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: '2.0' });
    await until(() => images(cluster).includes('2.0'));
    await change(cluster, { upgrade: { ...patient, paused: true } });
    await pass(cluster, until, 30_000);
    await change(cluster, { version: '3.0' });
    await pass(cluster, until, 30_000);
    if (cluster.objects.find(pods, 'default', 'orders-2'))
      await cluster.client()(pods).namespace('default').delete('orders-2');
    await pass(cluster, until, 60_000);
    await change(cluster, { upgrade: { ...patient, paused: false } });
  },
  isDone: (cluster) => allRun(cluster, '3.0'),
  actions: meddling,
});
