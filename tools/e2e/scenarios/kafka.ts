import { restartedByHand } from '../by-hand.ts';
import { kafkaImages, kafkaStore } from '../kafka.ts';
import { until } from '../kubernetes.ts';
import { changesOfMembers, changesOfVersion, type Software } from '../store-steps.ts';
import { askStoreLoad, beginLoad, countWrites, founded, fullStop, type LoadedStore } from '../stores.ts';
import { inNamespace, type World } from '../world.ts';

const name = 'events';
const { repository, before, after } = kafkaImages;

const software: Software = {
  ...{ before, after, upgrade: 'an upgrade from 4.2 to 4.3', goesBack: true },
  leader: { called: 'the member that is written to', find: writtenTo },
  // A server that ends hands its partitions over, and the lead of the quorum.
  byHand: (at) => restartedByHand(at, { how: 'the leader of the quorum last', role: 'leader' }),
  setting: { settings: { 'num.io.threads': '6' }, sign: 'num.io.threads=6' },
  sizeOf: votersOf,
};

/** Kafka on a KVStoreCluster under 500 writes a second to one partition: versions, a bad image, members deleted and drained, the operator killed, another size, a full stop. */
export async function kafkaScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: Kafka 4.2 to 4.3 under 500 writes a second', async () => {
    if (!world.hasKafka) {
      world.report.skip('three members found one cluster', 'there was no Maven to fetch Kafka with');
      return;
    }
    await inNamespace(world, 'e2e-kafka', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: kafkaStore };
      await founded(at, 'three members found one cluster on Kafka 4.2', before);
      await world.report.step('all three have a vote', () =>
        until('three members have a vote', 300, async () => (await votersOf(at)) === 3),
      );
      await beginLoad(at, { program: 'KafkaLoad.java', image: `${repository}:${after}` }, 2_000);
      await changesOfVersion(at, software);
      await changesOfMembers(at, software);
      await fullStop(at);
      await countWrites(at);
    });
  });
}

/** The pod whose broker leads the partition. */
async function writtenTo(at: LoadedStore): Promise<string> {
  return until('a broker leads the partition', 60, async () => {
    const { leader = '' } = await askStoreLoad(at, '/counts');
    return leader === '' ? undefined : leader.split('.')[0];
  });
}

/** How many members have a vote. */
async function votersOf({ world, namespace }: LoadedStore): Promise<number> {
  const line = `sh -c '. /recipe/member.sh; quorum "$POD_IP" | grep -c ^voter' /recipe/x`;
  return Number(await world.kubernetes.exec(namespace, `${name}-0`, line));
}
