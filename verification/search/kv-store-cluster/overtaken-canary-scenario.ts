import { pods } from '@ordinal/client';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import { images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { meddling, patient, searched, setUp } from './scenario.ts';
import { allRun, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const searchedCanary: Searched = searched({
  name: 'a canary that is judged, and that another version overtakes when two members run ahead',
  setUp: setUp({ upgradeStrategy: 'Canary', canary: { analysis: { job: { command: ['judge'] } } } }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: '2.0' });
    await until(() => images(cluster).filter((image) => image === '2.0').length > 1);
    await change(cluster, { version: '3.0', upgrade: patient });
    await until(() => images(cluster).includes('3.0') || storeNow(cluster)?.status?.phase === 'Failed');
    if (cluster.objects.find(pods, 'default', 'orders-1'))
      await cluster.client()(pods).namespace('default').delete('orders-1');
  },
  isDone: (cluster) => allRun(cluster, '3.0'),
  actions: meddling,
});

/**
 * A third version is asked for while two members run the second, of which each is judged before the next one follows. They come first to the third, and may not wait for a judgement: held, they
 * would come back as the first on volumes that the second has written. One of them is deleted meanwhile.
 */
export const overtakenCanary: Searched = {
  ...searchedCanary,
  // To an older version the template is another one, and what it completes was judged under that.
  faults: searchedCanary.faults.filter((fault) => fault !== 'oldVersion'),
  // Whether the member that is deleted was replaced already depends on when that is.
  livesVary: everyFault,
};
