import { setTimeout as sleep } from 'node:timers/promises';
import { conditionOf, until } from '../kubernetes.ts';
import { natsAccounts, natsImages, natsStore } from '../nats.ts';
import {
  askStoreLoad,
  badImage,
  beginLoad,
  countWrites,
  deletePods,
  drained,
  founded,
  fullStop,
  halfWayAndBack,
  measured,
  operatorKilled,
  otherSizes,
  replaced,
  upgrade,
  type LoadedStore,
} from '../stores.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const name = 'bus';
const { before, after } = natsImages;
/** A setting that members have once they have all been replaced again. */
const settings = { max_payload: '2MB' } as const;

/** NATS on a KVStoreCluster under 500 writes a second: versions, a bad image, leaders deleted and drained, the operator killed, another size, a full stop. */
export async function natsScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: NATS JetStream 2.10 to 2.15 under 500 writes a second', () =>
    inNamespace(world, 'e2e-nats', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: natsStore };
      await founded(at, 'three members found one cluster on NATS 2.10', before, natsAccounts(namespace));
      await beginLoad(at, { program: 'nats-load.ts' }, 2_000);
      if (world.isWhole) {
        await byHand(at);
        await halfWayAndBack(at, before, after);
      }
      await upgrade(at, 'an upgrade from 2.10 to 2.15', after);
      if (world.isWhole) await badImage(at, after);
      await measured(at, 'the stream’s leader is deleted by hand', async () => {
        const leader = await leaderOf(at);
        await replaced(at, leader, () => deletePods(at, leader));
      });
      if (world.isWhole) await drainsKillsAndSizes(at);
      await fullStop(at);
      await countWrites(at);
    }),
  );
}

async function drainsKillsAndSizes(at: LoadedStore): Promise<void> {
  await measured(at, 'the stream’s leader is drained', async () => {
    const leader = await leaderOf(at);
    await replaced(at, leader, () => drained(at, leader));
  });
  await operatorKilled(at, { version: after, settings }, 'max_payload=2MB');
  await otherSizes(at, { version: after, settings }, () => serversOf(at));
}

/** The pod whose server leads the stream: servers that joined later have a time after the pod's name. */
async function leaderOf(at: LoadedStore): Promise<string> {
  const { leader = '' } = await askStoreLoad(at, '/counts');
  return leader.split('-').slice(0, 2).join('-');
}

/** What the software does by itself, without the operator and the scripts of a hand-over: `nats-server --signal ldm`. */
async function byHand(at: LoadedStore): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'by hand: the stream’s leader in lame duck mode', async () => {
    const leader = await leaderOf(at);
    await world.kubernetes.exec(namespace, leader, 'kill -USR2 "$(cat /tools/pid)"');
    await sleep(5_000);
    await until('it serves again', 120, async () => {
      const pod = await world.kubernetes.get('pod', leader, namespace);
      return conditionOf(pod, 'Ready').status === 'True';
    });
    await untilReady(world, { kind: 'kvstorecluster', name, namespace }, 60);
  });
}

/** How many servers the cluster has that are current. */
async function serversOf({ world, namespace }: LoadedStore): Promise<number> {
  const line = `sh -c '. /recipe/member.sh; peers_by "$POD_IP" | grep -c " current "' /recipe/x`;
  return Number(await world.kubernetes.exec(namespace, `${name}-0`, line));
}
