import { restartedByHand } from '../by-hand.ts';
import { etcdImages, etcdStore } from '../etcd.ts';
import { check, until } from '../kubernetes.ts';
import { backupClaim } from '../redis-store.ts';
import { changesOfMembers, changesOfVersion, type Software } from '../store-steps.ts';
import {
  backupAndRestore,
  beginLoad,
  countWrites,
  founded,
  fullStop,
  memberOfRole,
  type LoadedStore,
} from '../stores.ts';
import { inNamespace, type World } from '../world.ts';

const name = 'config';
const { before, after } = etcdImages;

const software: Software = {
  ...{ before, after, upgrade: 'an upgrade from 3.4 to 3.5', goesBack: true },
  leader: { called: 'the leader', find: (at) => memberOfRole(at, 'leader') },
  byHand,
  setting: { settings: { 'snapshot-count': '50000' }, sign: '--snapshot-count=50000' },
  sizeOf: voters,
};

/** etcd on a KVStoreCluster under 500 writes a second: versions, a bad image, leaders deleted and drained, the operator killed, another size, a full stop, a backup and a new store of it. */
export async function etcdScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: etcd 3.4 to 3.5 under 500 writes a second', () =>
    inNamespace(world, 'e2e-etcd', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: etcdStore };
      await founded(at, 'three members found one cluster on etcd 3.4', before, backupClaim(namespace));
      await world.report.step('all three vote', () =>
        // One that does not know the address of another member yet is ready while it waits.
        until('three members vote', 60, async () => (await voters(at)) === 3),
      );
      await beginLoad(at, { program: 'etcd-load.ts' }, 2_000);
      await changesOfVersion(at, software);
      await changesOfMembers(at, software);
      await fullStop(at);
      const written = await countWrites(at);
      await backupAndRestore(at, after, async () => {
        const keys = 'etcdctl get load/ --prefix --keys-only | grep -c load/';
        const count = Number(await world.kubernetes.exec(namespace, 'copy-2', keys));
        check(count === written, `${count} keys and not ${written}`);
        return `${count} keys`;
      });
    }),
  );
}

/** What the software's own tools do, without the operator and the scripts of a hand-over. */
async function byHand(at: LoadedStore): Promise<void> {
  const how = 'the leader last, after `etcdctl move-leader`';
  await restartedByHand(at, { how, role: 'leader' }, async (leader, successor) => {
    const id = `$(etcdctl member list | grep ", ${successor}," | cut -d, -f1)`;
    await at.world.kubernetes.exec(at.namespace, leader, `etcdctl move-leader "${id}"`);
  });
}

/** How many members the cluster has. Throws where one of them does not vote yet. */
async function voters({ world, namespace }: LoadedStore): Promise<number> {
  const list = await world.kubernetes.exec(namespace, `${name}-0`, 'etcdctl member list');
  const lines = list.trim().split('\n');
  check(
    lines.every((line) => line.endsWith('false')),
    lines.join(' | '),
  );
  return lines.length;
}
