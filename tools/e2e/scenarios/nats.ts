import { setTimeout as sleep } from 'node:timers/promises';
import { conditionOf, until } from '../kubernetes.ts';
import { natsAccounts, natsImages, natsStore } from '../nats.ts';
import { changesOfMembers, changesOfVersion, type Software } from '../store-steps.ts';
import { askStoreLoad, beginLoad, countWrites, founded, fullStop, measured, type LoadedStore } from '../stores.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const name = 'bus';
const { before, after } = natsImages;

const software: Software = {
  ...{ before, after, upgrade: 'an upgrade from 2.10 to 2.15', goesBack: true },
  leader: { called: 'the stream’s leader', find: leaderOf },
  byHand,
  setting: { settings: { max_payload: '2MB' }, sign: 'max_payload=2MB' },
  sizeOf: serversOf,
};

/** NATS on a KVStoreCluster under 500 writes a second: versions, a bad image, leaders deleted and drained, the operator killed, another size, a full stop. */
export async function natsScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: NATS JetStream 2.10 to 2.15 under 500 writes a second', () =>
    inNamespace(world, 'e2e-nats', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: natsStore };
      await founded(at, 'three members found one cluster on NATS 2.10', before, natsAccounts(namespace));
      await beginLoad(at, { program: 'nats-load.ts' }, 2_000);
      await changesOfVersion(at, software);
      await changesOfMembers(at, software);
      await fullStop(at);
      await countWrites(at);
    }),
  );
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
