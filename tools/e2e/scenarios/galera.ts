import { setTimeout as sleep } from 'node:timers/promises';
import { galeraImages, galeraLogin, galeraStore, rootPassword } from '../galera.ts';
import { check } from '../kubernetes.ts';
import { backupClaim } from '../redis-store.ts';
import { changesOfMembers, changesOfVersion, type Software } from '../store-steps.ts';
import {
  askStoreLoad,
  backupAndRestore,
  beginLoad,
  countWrites,
  founded,
  fullStop,
  measured,
  podsOf,
  untilInStep,
  type LoadedStore,
} from '../stores.ts';
import { inNamespace, untilReady, type World } from '../world.ts';

const name = 'orders';
const { before, after } = galeraImages;

const software: Software = {
  ...{ before, after, upgrade: 'an upgrade from 10.11 to 11.8', goesBack: true },
  leader: { called: 'the member that is written to', find: writtenTo },
  byHand,
  setting: { settings: { max_connections: '90' }, sign: 'max_connections=90' },
  sizeOf,
};

/** MariaDB Galera on a KVStoreCluster under load: versions, a bad image, members deleted and drained, the operator killed, another size, a full stop, a backup and a new store of it. */
export async function galeraScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: MariaDB Galera 10.11 to 11.8 under writes that every member has', () =>
    inNamespace(world, 'e2e-galera', async (namespace) => {
      const at: LoadedStore = { world, namespace, name, objects: galeraStore };
      const needs = [backupClaim(namespace), galeraLogin(namespace)];
      await founded(at, 'three members found one cluster on MariaDB 10.11', before, ...needs);
      await world.report.step('all three are in step', async () => {
        for (const { metadata } of await podsOf(at)) await untilInStep(at, metadata.name);
      });
      const environment = { ROOT_PASSWORD: rootPassword };
      await beginLoad(at, { program: 'GaleraLoad.java', image: galeraImages.load, environment }, 1_000);
      await changesOfVersion(at, software);
      await changesOfMembers(at, software);
      await fullStop(at);
      const written = await countWrites(at);
      await backupAndRestore(at, after, async () => {
        // Its members are ready while they wait for one that has no pod yet.
        await untilInStep(at, 'copy-2');
        const count = Number(await ask(at, 'copy-2', 'select count(*) from app.written'));
        check(count >= written, `${count} rows, and ${written} were acknowledged`);
        return `${count} rows`;
      });
    }),
  );
}

/** The pod that a writer was connected to last. */
async function writtenTo(at: LoadedStore): Promise<string> {
  const { leader = '' } = await askStoreLoad(at, '/counts');
  return leader.split('.')[0] ?? '';
}

/** What the software does by itself: each server ends, the highest member's first, and the next one when that is in step again. */
async function byHand(at: LoadedStore): Promise<void> {
  const { world, namespace } = at;
  await measured(at, 'by hand: three members restarted one by one, the highest first', async () => {
    for (const pod of (await podsOf(at))
      .map(({ metadata }) => metadata.name)
      .toSorted()
      .toReversed()) {
      await world.kubernetes.exec(namespace, pod, 'kill $(cat /tools/pid)');
      await sleep(2_000);
      await untilInStep(at, pod);
    }
    await untilReady(world, { kind: 'kvstorecluster', name, namespace }, 60);
  });
}

/** What a member's server answers. */
const ask = ({ world, namespace }: LoadedStore, pod: string, statement: string): Promise<string> =>
  world.kubernetes.exec(namespace, pod, `sh -c '. /recipe/member.sh; sql "${statement}"' /recipe/x`);

/** How many members the cluster has. */
async function sizeOf(at: LoadedStore): Promise<number> {
  return Number(await ask(at, `${name}-0`, 'select count(*) from mysql.wsrep_cluster_members'));
}
