import { check, until } from '../kubernetes.ts';
import { backupClaim } from '../redis-store.ts';
import { changesOfMembers, changesOfVersion, type Software } from '../store-steps.ts';
import {
  allKilled,
  backupAndRestore,
  beginLoad,
  countWrites,
  founded,
  fullStop,
  measured,
  memberOfRole,
  podsOf,
  untilInStep,
  type LoadedStore,
} from '../stores.ts';
import { valkeyImages, valkeyStore } from '../valkey.ts';
import { inNamespace, type World } from '../world.ts';

const name = 'carts';
const { before, after } = valkeyImages;

const software: Software = {
  // 8.1 does not read an append-only file that 9.1 has written.
  ...{ before, after, upgrade: 'an upgrade from 8.1 to 9.1', goesBack: false },
  leader: { called: 'the leader', find: (at) => memberOfRole(at, 'master') },
  checkLead: async (at, former) => {
    check((await memberOfRole(at, 'master')) !== former, 'it leads again: it has not handed over');
  },
  byHand,
  setting: { settings: { 'tcp-keepalive': '60' }, sign: '--tcp-keepalive' },
  sizeOf: inStep,
};

/** Valkey on a KVStoreCluster under 500 writes a second: an upgrade, a bad image, leaders deleted and drained, the operator killed, another size, all servers killed, a full stop, a backup and a new store of it. */
export async function valkeyScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: Valkey 8.1 to 9.1 under 500 writes a second', () =>
    inNamespace(world, 'e2e-valkey', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: valkeyStore };
      await founded(at, 'three members of Valkey 8.1, two of which follow the first', before, backupClaim(namespace));
      await beginLoad(at, { program: 'load.ts' }, 2_000);
      await changesOfVersion(at, software);
      await changesOfMembers(at, software);
      await allKilled(at, 'valkey-server');
      await fullStop(at);
      const written = await countWrites(at);
      await backupAndRestore(at, after, async () => {
        const copied = await until('the last member of the copy has every key', 60, async () => {
          const count = Number(await world.kubernetes.exec(namespace, 'copy-2', 'valkey-cli dbsize'));
          check(count === written, `${count} keys and not ${written}`);
          return count;
        });
        return `${copied} keys`;
      });
    }),
  );
}

/** What the software does by itself, without the operator and the scripts of a hand-over. */
async function byHand(at: LoadedStore): Promise<void> {
  await measured(at, 'by hand: `FAILOVER` to a replica', async () => {
    const leader = await memberOfRole(at, 'master');
    const pods = await podsOf(at);
    const successor = pods.find(({ metadata }) => metadata.name !== leader);
    check(successor !== undefined, 'there is no replica');
    const line = `valkey-cli failover to ${String(successor.status?.podIP)} 6379`;
    await at.world.kubernetes.exec(at.namespace, leader, line);
    await until('the replica leads', 30, async () => (await memberOfRole(at, 'master')) === successor.metadata.name);
    for (const { metadata } of pods) await untilInStep(at, metadata.name);
  });
}

/** How many members are in step. Throws where one of them is not. */
async function inStep(at: LoadedStore): Promise<number> {
  const pods = await podsOf(at);
  for (const { metadata } of pods) await at.world.kubernetes.exec(at.namespace, metadata.name, 'sh /recipe/in-step.sh');
  return pods.length;
}
