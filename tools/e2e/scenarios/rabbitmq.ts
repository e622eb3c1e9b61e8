import { restartedByHand } from '../by-hand.ts';
import { check, until } from '../kubernetes.ts';
import { rabbitmqImages, rabbitmqLogin, rabbitmqStore, rabbitmqUser } from '../rabbitmq.ts';
import { changesOfMembers, changesOfVersion, type Software } from '../store-steps.ts';
import { beginLoad, countWrites, founded, fullStop, type LoadedStore } from '../stores.ts';
import { inNamespace, type World } from '../world.ts';

const name = 'jobs';
const { before, after, load } = rabbitmqImages;

const software: Software = {
  ...{ before, after, upgrade: 'an upgrade', goesBack: true },
  leader: { called: 'the queue’s leader', find: leaderOf },
  // A server that ends by a signal closes what it has, and is in no maintenance mode before.
  byHand: (at) => restartedByHand(at, { how: 'the leader of the metadata store last', role: 'leader' }),
  setting: { settings: { 'disk_free_limit.absolute': '64MB' }, sign: 'disk_free_limit.absolute=64MB' },
  sizeOf: membersOf,
};

/** RabbitMQ on a KVStoreCluster under 500 messages a second to one quorum queue: images, a bad one, leaders deleted and drained, the operator killed, another size, a full stop. */
export async function rabbitmqScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: RabbitMQ 4.3 under 500 messages a second', () =>
    inNamespace(world, 'e2e-rabbitmq', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: rabbitmqStore };
      await founded(at, 'three members found one cluster on RabbitMQ 4.3', before, rabbitmqLogin(namespace));
      await world.report.step('all three are members', () =>
        until('there are three members', 120, async () => (await membersOf(at)) === 3),
      );
      await beginLoad(at, { program: 'RabbitmqLoad.java', image: load, environment: rabbitmqUser }, 2_000);
      await changesOfVersion(at, software);
      await changesOfMembers(at, software);
      await fullStop(at);
      await countWrites(at);
    }),
  );
}

/** The pod whose server leads the queue. */
async function leaderOf({ world, namespace }: LoadedStore): Promise<string> {
  const line = 'sh /recipe/ctl.sh rabbitmqctl eval "[amqqueue:get_pid(Queue) || Queue <- rabbit_amqqueue:list()]."';
  const said = await world.kubernetes.exec(namespace, `${name}-0`, line);
  const [, leader = ''] = /(\w+-\d+)-[0-9a-f]+@/.exec(said) ?? [];
  check(leader !== '', `no member leads the queue: ${said}`);
  return leader;
}

/** How many members the cluster has that run. */
async function membersOf({ world, namespace }: LoadedStore): Promise<number> {
  const line = `sh -c '. /recipe/member.sh; ask "$POD_IP" cluster | grep -c "^member .* runs"' /recipe/x`;
  return Number(await world.kubernetes.exec(namespace, `${name}-0`, line));
}
