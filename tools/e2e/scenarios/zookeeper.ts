import { setTimeout as sleep } from 'node:timers/promises';
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
  podsOf,
  replaced,
  upgrade,
  type LoadedStore,
} from '../stores.ts';
import { inNamespace, untilReady, type World } from '../world.ts';
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
        await byHand(at);
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

/** What the software does by itself, without the operator and the scripts of a hand-over: each server is ended, the leader last, and starts again. */
async function byHand(at: LoadedStore): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'by hand: three members restarted one by one, the leader last', async () => {
    const leader = await memberOfRole(at, 'leader');
    const followers = (await podsOf(at)).map(({ metadata }) => metadata.name).filter((pod) => pod !== leader);
    for (const pod of [...followers, leader]) {
      await world.kubernetes.exec(namespace, pod, 'kill $(cat /tools/pid)');
      await sleep(2_000);
      await until(`${pod} is in step`, 120, async () => {
        await world.kubernetes.exec(namespace, pod, 'sh /recipe/in-step.sh');
        return true;
      });
    }
    await untilReady(world, { kind: 'kvstorecluster', name, namespace }, 60);
  });
}

/** How many members have a vote. */
async function votersOf({ world, namespace }: LoadedStore): Promise<number> {
  const line = `sh -c '. /recipe/member.sh; members "$POD_IP" | grep -c participant' /recipe/x`;
  return Number(await world.kubernetes.exec(namespace, `${name}-0`, line));
}
