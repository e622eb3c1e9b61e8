import { check, until } from '../kubernetes.ts';
import { backupClaim } from '../redis-store.ts';
import {
  allKilled,
  backupAndRestore,
  badImage,
  beginLoad,
  countWrites,
  deletePods,
  drained,
  founded,
  fullStop,
  measured,
  memberOfRole,
  operatorKilled,
  otherSizes,
  podsOf,
  replaced,
  untilInStep,
  upgrade,
  type LoadedStore,
} from '../stores.ts';
import { valkeyImages, valkeyStore } from '../valkey.ts';
import { inNamespace, type World } from '../world.ts';

const name = 'carts';
const { before, after } = valkeyImages;
/** A setting that members have once they have all been replaced again. */
const settings = { 'tcp-keepalive': '60' } as const;

/** Valkey on a KVStoreCluster under 500 writes a second: an upgrade, a bad image, leaders deleted and drained, the operator killed, another size, all servers killed, a full stop, a backup and a new store of it. */
export async function valkeyScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: Valkey 8.1 to 9.1 under 500 writes a second', () =>
    inNamespace(world, 'e2e-valkey', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: valkeyStore };
      await founded(at, 'three members of Valkey 8.1, two of which follow the first', before, backupClaim(namespace));
      await beginLoad(at, { program: 'load.ts' }, 2_000);
      if (world.isWhole) await byHand(at);
      await upgrade(at, 'an upgrade from 8.1 to 9.1', after);
      if (world.isWhole) await badImage(at, after);
      await measured(at, 'the leader is deleted by hand', async () => {
        const leader = await memberOfRole(at, 'master');
        await replaced(at, leader, () => deletePods(at, leader));
        check((await memberOfRole(at, 'master')) !== leader, 'it leads again: it has not handed over');
      });
      if (world.isWhole) await drainsKillsAndSizes(at);
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

async function drainsKillsAndSizes(at: LoadedStore): Promise<void> {
  await measured(at, 'the leader is drained', async () => {
    const leader = await memberOfRole(at, 'master');
    await replaced(at, leader, () => drained(at, leader));
  });
  await operatorKilled(at, { version: after, settings }, '--tcp-keepalive');
  await otherSizes(at, { version: after, settings }, () => inStep(at));
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
