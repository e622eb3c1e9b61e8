import { restartedByHand } from '../by-hand.ts';
import { until } from '../kubernetes.ts';
import { changesOfMembers, changesOfVersion, type Software } from '../store-steps.ts';
import { beginLoad, countWrites, founded, fullStop, memberOfRole, type LoadedStore } from '../stores.ts';
import { inNamespace, type World } from '../world.ts';
import { zookeeperImages, zookeeperPassword, zookeeperStore } from '../zookeeper.ts';

const name = 'locks';
const { repository, before, after } = zookeeperImages;

const software: Software = {
  ...{ before, after, upgrade: 'an upgrade from 3.8 to 3.9', goesBack: true },
  leader: { called: 'the leader', find: (at) => memberOfRole(at, 'leader') },
  // The software has no command that moves the lead.
  byHand: (at) => restartedByHand(at, { how: 'the leader last', role: 'leader' }),
  setting: { settings: { maxClientCnxns: '200' }, sign: '--maxClientCnxns=200' },
  sizeOf: votersOf,
};

/** ZooKeeper on a KVStoreCluster under 500 writes a second: versions, a bad image, leaders deleted and drained, the operator killed, another size, a full stop. */
export async function zookeeperScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: ZooKeeper 3.8 to 3.9 under 500 writes a second', () =>
    inNamespace(world, 'e2e-zookeeper', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: zookeeperStore };
      await founded(at, 'three members found one cluster on ZooKeeper 3.8', before, zookeeperPassword(namespace));
      await world.report.step('all three have a vote', () =>
        until('three members have a vote', 60, async () => (await votersOf(at)) === 3),
      );
      await beginLoad(at, { program: 'ZookeeperLoad.java', image: `${repository}:${after}` }, 2_000);
      await changesOfVersion(at, software);
      await changesOfMembers(at, software);
      await fullStop(at);
      await countWrites(at);
    }),
  );
}

/** How many members have a vote. */
async function votersOf({ world, namespace }: LoadedStore): Promise<number> {
  const line = `sh -c '. /recipe/member.sh; members "$POD_IP" | grep -c participant' /recipe/x`;
  return Number(await world.kubernetes.exec(namespace, `${name}-0`, line));
}
