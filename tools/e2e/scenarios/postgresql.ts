import { check, until } from '../kubernetes.ts';
import { postgresqlImages, postgresqlLogin, postgresqlStore, superuserPassword } from '../postgresql.ts';
import { backupClaim } from '../redis-store.ts';
import {
  backupAndRestore,
  beginLoad,
  countWrites,
  deletePods,
  founded,
  fullStop,
  measured,
  memberOfRole,
  replaced,
  set,
  untilRuns,
  upgrade,
  type LoadedStore,
} from '../stores.ts';
import { inNamespace, type World } from '../world.ts';

const { before, after, otherMajor } = postgresqlImages;

/** PostgreSQL on a KVStoreCluster under load: an upgrade, another major version, a leader deleted by hand, a full stop, a backup and a new store of it. */
export async function postgresqlScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: PostgreSQL under writes that a standby acknowledges', () =>
    inNamespace(world, 'e2e-postgresql', async (namespace) => {
      const at: LoadedStore = { world, namespace, name: 'orders', objects: postgresqlStore };
      const needs = [backupClaim(namespace), postgresqlLogin(namespace)];
      await founded(at, 'three members, two of which copy the first', before, ...needs);
      await beginLoad(at, { program: 'postgresql-load.ts', environment: { PGPASSWORD: superuserPassword } }, 1_000);
      await upgrade(at, 'an upgrade within the major version', after);
      if (world.isWhole) await otherMajorVersion(at);
      await measured(at, 'the leader is deleted by hand', async () => {
        const leader = await memberOfRole(at, 'primary');
        await replaced(at, leader, () => deletePods(at, leader));
        check((await memberOfRole(at, 'primary')) !== leader, 'it leads again: it has not handed over');
      });
      await fullStop(at);
      const written = await countWrites(at);
      await backupAndRestore(at, after, async () => {
        const line = `sh -c '. /recipe/member.sh; sql self "select count(*) from load"' /recipe/x`;
        const count = Number(await world.kubernetes.exec(namespace, 'copy-2', line));
        check(count >= written, `${count} rows, and ${written} were acknowledged`);
        return `${count} rows`;
      });
    }),
  );
}

async function otherMajorVersion(at: LoadedStore): Promise<void> {
  const { world, namespace, name } = at;
  await measured(at, 'another major version is refused, and taken back by the operator', async () => {
    await set(at, { version: otherMajor });
    await until('the upgrade has failed', 300, async () => {
      const { status } = await world.kubernetes.get('kvstorecluster', name, namespace);
      if (status?.failure) return true;
      throw new Error(JSON.stringify(status?.upgrade));
    });
    await set(at, { version: after });
    await untilRuns(at, after);
  });
}
