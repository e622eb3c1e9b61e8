import { check, until } from '../kubernetes.ts';
import { postgresqlImages, postgresqlLogin, postgresqlStore, superuserPassword } from '../postgresql.ts';
import { backupClaim } from '../redis-store.ts';
import { changesOfMembers, changesOfVersion, type Software } from '../store-steps.ts';
import {
  backupAndRestore,
  beginLoad,
  countWrites,
  founded,
  fullStop,
  measured,
  memberOfRole,
  podsOf,
  set,
  untilInStep,
  untilRuns,
  type LoadedStore,
} from '../stores.ts';
import { inNamespace, type World } from '../world.ts';

const { before, after, otherMajor } = postgresqlImages;

const software: Software = {
  ...{ before, after, upgrade: 'an upgrade within the major version', goesBack: true },
  leader: { called: 'the leader', find: (at) => memberOfRole(at, 'primary') },
  checkLead: async (at, former) => {
    check((await memberOfRole(at, 'primary')) !== former, 'it leads again: it has not handed over');
  },
  byHand,
  setting: { settings: { work_mem: '8MB' }, sign: 'work_mem=8MB' },
  sizeOf,
};

/** PostgreSQL on a KVStoreCluster under load: versions, a bad image, another major version, leaders deleted and drained, the operator killed, another size, a full stop, a backup and a new store of it. */
export async function postgresqlScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: PostgreSQL under writes that a standby acknowledges', () =>
    inNamespace(world, 'e2e-postgresql', async (namespace) => {
      const at: LoadedStore = { world, namespace, name: 'orders', objects: postgresqlStore };
      const needs = [backupClaim(namespace), postgresqlLogin(namespace)];
      await founded(at, 'three members, two of which copy the first', before, ...needs);
      await beginLoad(at, { program: 'postgresql-load.ts', environment: { PGPASSWORD: superuserPassword } }, 1_000);
      await changesOfVersion(at, software);
      if (world.isWhole) await otherMajorVersion(at);
      await changesOfMembers(at, software);
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

/**
 * What the software's own tools do, one command after the other, without the operator and `handoff.sh`. `standby.signal` makes the former leader a standby when it starts
 * again. The first of the standbys takes over: members would elect that one as well.
 */
async function byHand(at: LoadedStore): Promise<void> {
  const run = (pod: string, line: string): Promise<string> =>
    at.world.kubernetes.exec(at.namespace, pod, `sh -c '. /recipe/member.sh; limit=60; ${line}' /recipe/x`);
  await measured(at, 'by hand: `pg_ctl stop`, `pg_promote`, and the other standby follows', async () => {
    const leader = await memberOfRole(at, 'primary');
    const standbys = (await podsOf(at)).map(({ metadata }) => metadata.name).filter((pod) => pod !== leader);
    const [successor = '', other = ''] = standbys.toSorted();
    await run(leader, 'sql self checkpoint && : >"$data/standby.signal" && pg_ctl stop -D "$data" -m fast');
    await run(successor, 'sql self "select pg_promote()"');
    const repoint = `sed -i "s/host=${leader}[.]/host=${successor}./" "$kept/dynamic.conf"`;
    await run(other, `${repoint} && sql self "select pg_reload_conf()"`);
    await until('the others follow it', 120, async () => (await memberOfRole(at, 'primary')) === successor);
    for (const pod of [leader, other]) await untilInStep(at, pod);
  });
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

/** How many members there are: the one that leads, and those whose acknowledgment counts. */
async function sizeOf(at: LoadedStore): Promise<number> {
  const query = "select 1 + count(*) from pg_stat_replication where sync_state = 'quorum'";
  const line = `sh -c '. /recipe/member.sh; sql self "$1"' /recipe/x "${query}"`;
  return Number(await at.world.kubernetes.exec(at.namespace, await memberOfRole(at, 'primary'), line));
}
