import { restartedByHand } from '../by-hand.ts';
import { until } from '../kubernetes.ts';
import {
  badImage,
  beginLoad,
  countWrites,
  deletePods,
  drained,
  founded,
  fullStop,
  halfWayAndBack,
  measured,
  memberOfRole,
  operatorKilled,
  otherSizes,
  replaced,
  upgrade,
  type LoadedStore,
} from '../stores.ts';
import { inNamespace, type World } from '../world.ts';
import { zookeeperImages, zookeeperPassword, zookeeperStore } from '../zookeeper.ts';

const name = 'locks';
const { repository, before, after } = zookeeperImages;
/** A setting that members have once they have all been replaced again. */
const settings = { maxClientCnxns: '200' } as const;

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
      if (world.isWhole) {
        // The software has no command that moves the lead.
        await restartedByHand(at, { how: 'the leader last', role: 'leader' });
        await halfWayAndBack(at, before, after);
      }
      await upgrade(at, 'an upgrade from 3.8 to 3.9', after);
      if (world.isWhole) await badImage(at, after);
      await measured(at, 'the leader is deleted by hand', async () => {
        const leader = await memberOfRole(at, 'leader');
        await replaced(at, leader, () => deletePods(at, leader));
      });
      if (world.isWhole) await drainsKillsAndSizes(at);
      await fullStop(at);
      await countWrites(at);
    }),
  );
}

async function drainsKillsAndSizes(at: LoadedStore): Promise<void> {
  await measured(at, 'the leader is drained', async () => {
    const leader = await memberOfRole(at, 'leader');
    await replaced(at, leader, () => drained(at, leader));
  });
  await operatorKilled(at, { version: after, settings }, '--maxClientCnxns=200');
  await otherSizes(at, { version: after, settings }, () => votersOf(at));
}

/** How many members have a vote. */
async function votersOf({ world, namespace }: LoadedStore): Promise<number> {
  const line = `sh -c '. /recipe/member.sh; members "$POD_IP" | grep -c participant' /recipe/x`;
  return Number(await world.kubernetes.exec(namespace, `${name}-0`, line));
}
