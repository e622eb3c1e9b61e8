import { jobs, namespaces, persistentVolumeClaims } from '@ordinal/client';
import { kvStoreClusters } from '@ordinal/api';
import type { SimulatedCluster } from '@ordinal/simulator';
import { describe, expect, test } from 'vitest';
import { refuse } from '../writes/refuse.ts';
import { images, kvStoreWorld, store, storeNow } from './kv-store-world.ts';
import { annotate, atWork, change, claims, condition, holderOf, jobsFor, ready, stores, until } from './store-steps.ts';

const image = 'example.com/backup:slow';
const job = { command: ['backup'], image, deadline: '2h', retries: 0 } as const;
const unsaved = { deletionPolicy: 'Delete', backup: { job, onDelete: 'Skip' } } as const;

/** The pods of the running backups that a user has asked for. */
const backupsAtWork = (cluster: SimulatedCluster): readonly string[] => atWork(cluster, 'Backup');

/** A cluster whose backups read from its members until a client ends them, and fail where there are none. */
async function backingUp(spec: Parameters<typeof store>[0]) {
  const cluster = await ready(spec);
  return { cluster, end: slowBackups(cluster) };
}

/** Says how to end those that are at work, or the one of this name. */
function slowBackups(cluster: SimulatedCluster): (code: number, only?: string) => void {
  const working = new Map<(code: number) => void, string | undefined>();
  cluster.image(image, {
    run: (process) => {
      const mounted = [0, 1, 2].every((ordinal) => process.volume(`claim-${ordinal}`).has('data'));
      return new Promise((resolve) => working.set((code) => resolve(images(cluster).length === 3 || mounted ? code : 1), process.env['ORDINAL_BACKUP_NAME'])); // prettier-ignore
    },
  });
  return (code, only) => {
    for (const [finish, name] of working) {
      if (only !== undefined && name !== only) continue;
      working.delete(finish);
      finish(code);
    }
  };
}

const recorded = (cluster: SimulatedCluster) =>
  storeNow(cluster)?.status?.hooks?.find(({ purpose }) => purpose === 'Backup');

/** Asks for a backup, and runs until it is at work; returns its Job. */
async function ask(cluster: SimulatedCluster, name: string): Promise<string> {
  const before = backupsAtWork(cluster);
  await annotate(cluster, { 'ordinal.dev/backup': name });
  await until(cluster, () => backupsAtWork(cluster).length > before.length);
  return recorded(cluster)?.job ?? '';
}

/** What follows this in the message that says what is wrong. */
const reportedCommand = (cluster: SimulatedCluster, command: RegExp): string | undefined =>
  command.exec(condition(cluster, 'Degraded')?.message ?? '')?.[1];

/** Ends the backups that are at work well: the cluster goes, and its volumes with it. */
async function endWell(cluster: SimulatedCluster, end: (code: number) => void): Promise<void> {
  end(0);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  expect(claims(cluster)).toEqual([]);
}

/** As the message of its failure says. */
async function tryAgain(cluster: SimulatedCluster, job: string): Promise<void> {
  await cluster.client()(jobs).namespace('default').delete(job);
  await until(cluster, () => backupsAtWork(cluster).length === 1);
}

/** One that is deleted while a backup that was asked for is at work. */
async function deletedMeanwhile(spec: Parameters<typeof store>[0] = unsaved) {
  const world = await backingUp(spec);
  const { cluster } = world;
  await ask(cluster, 'last');
  await stores(cluster).delete('orders');
  await cluster.advance(1_800_000);
  return world;
}

// Found by a reader: the members were deleted under the backup, and the volumes too. Its failure was not reported.
describe('a deletion while a backup runs that a user has asked for', () => {
  test('waits for it, and says so', async () => {
    const { cluster, end } = await deletedMeanwhile();
    expect(images(cluster)).toHaveLength(3);
    expect(claims(cluster)).toHaveLength(3);
    expect(condition(cluster, 'Progressing')).toMatchObject({ status: 'True', reason: 'Backup' });
    expect(condition(cluster, 'Progressing')?.message).toContain(
      'to go on without it: kubectl annotate -n default kvs orders ordinal.dev/skip=Backup --overwrite',
    );
    await endWell(cluster, end);
    expect(jobsFor(cluster, 'Backup').map(({ status }) => status?.succeeded)).toEqual([1]);
    cluster.stop();
  });

  test('goes on without it where it is left out, and ends it', async () => {
    const { cluster } = await deletedMeanwhile();
    await annotate(cluster, { 'ordinal.dev/skip': 'Backup' });
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(claims(cluster)).toEqual([]);
    expect(backupsAtWork(cluster)).toEqual([]);
    cluster.stop();
  });

  test('keeps the data where it fails, until it is tried again', async () => {
    const { cluster, end } = await deletedMeanwhile();
    end(1);
    await cluster.advance(3_600_000);
    expect(images(cluster)).toHaveLength(3);
    expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'BackupFailed' });
    const [failed] = jobsFor(cluster, 'Backup');
    const name = failed?.metadata.name ?? '';
    expect(condition(cluster, 'Degraded')?.message).toContain(`kubectl delete job -n default ${name};`);
    await tryAgain(cluster, name);
    await endWell(cluster, end);
    cluster.stop();
  });

  // Found by a second reader: the volumes were deleted, as no annotation asked for it any more.
  test('keeps the data where it fails, also where the annotation was taken away meanwhile', async () => {
    const { cluster, end } = await deletedMeanwhile();
    await annotate(cluster, { 'ordinal.dev/backup': null });
    end(1);
    await cluster.advance(600_000);
    expect(claims(cluster)).toHaveLength(3);
    expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'BackupFailed' });
    const [failed] = jobsFor(cluster, 'Backup');
    await tryAgain(cluster, failed?.metadata.name ?? '');
    await endWell(cluster, end);
    cluster.stop();
  });

  test('goes on where it fails and the volumes stay', async () => {
    const { cluster, end } = await deletedMeanwhile({ backup: unsaved.backup });
    end(1);
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(storeNow(cluster)).toBeUndefined();
    expect(claims(cluster)).toHaveLength(3);
    cluster.stop();
  });

  test('makes the final backup after it', async () => {
    const { cluster, end } = await deletedMeanwhile({ backup: { job } });
    expect(jobsFor(cluster, 'FinalBackup')).toEqual([]);
    end(1);
    await until(cluster, () => atWork(cluster, 'FinalBackup').length === 1);
    expect(images(cluster)).toHaveLength(3);
    await endWell(cluster, end);
    cluster.stop();
  });

  test('waits for it, also where the annotation was taken away before', async () => {
    const { cluster, end } = await backingUp(unsaved);
    await ask(cluster, 'monday');
    await annotate(cluster, { 'ordinal.dev/backup': null });
    await stores(cluster).delete('orders');
    await cluster.advance(600_000);
    expect(images(cluster)).toHaveLength(3);
    await endWell(cluster, end);
    cluster.stop();
  });

  test('leaves it to the members where it leaves them', async () => {
    const { cluster } = await backingUp(unsaved);
    await ask(cluster, 'last');
    await stores(cluster).delete('orders', { propagationPolicy: 'Orphan' });
    await until(cluster, () => storeNow(cluster) === undefined);
    await cluster.advance(60_000);
    expect(backupsAtWork(cluster)).toHaveLength(1);
    expect(images(cluster)).toHaveLength(3);
    cluster.stop();
  });
});

// Found by a third reader: no status records the end of these, and the volumes were deleted. Their failure was not reported.
describe('a backup that fails while the cluster is deleted, and whose end no status records', () => {
  test('keeps the data where another one had been asked for, and failed before', async () => {
    const { cluster, end } = await backingUp(unsaved);
    await ask(cluster, "monday's");
    await ask(cluster, 'tuesday');
    end(1, 'tuesday');
    await until(cluster, () => recorded(cluster)?.result === 'Failed');
    await stores(cluster).delete('orders');
    await cluster.advance(600_000);
    end(1);
    await cluster.advance(600_000);
    expect(claims(cluster)).toHaveLength(3);
    expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'BackupFailed' });
    const name = reportedCommand(
      cluster,
      /kubectl annotate -n default kvs orders ordinal.dev\/backup=(\S+) --overwrite;/,
    );
    expect(name).toBe("'monday'\\''s'");
    await ask(cluster, "monday's");
    end(0);
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(jobsFor(cluster, 'Backup').map(({ status }) => status?.succeeded ?? 0)).toContain(1);
    expect(claims(cluster)).toEqual([]);
    cluster.stop();
  });

  test('keeps nothing where the one that was asked for after it has succeeded', async () => {
    const { cluster, end } = await backingUp(unsaved);
    await ask(cluster, 'monday');
    await ask(cluster, 'tuesday');
    await stores(cluster).delete('orders');
    await cluster.advance(60_000);
    end(1, 'monday');
    await cluster.advance(60_000);
    expect(claims(cluster)).toHaveLength(3);
    await endWell(cluster, end);
    cluster.stop();
  });

  test('keeps the data where spec.backup has gone since, until it is back', async () => {
    const { cluster, end } = await backingUp(unsaved);
    const name = await ask(cluster, 'monday');
    await change(cluster, { backup: null });
    await stores(cluster).delete('orders');
    await cluster.advance(600_000);
    end(1);
    await cluster.advance(600_000);
    expect(claims(cluster)).toHaveLength(3);
    expect(condition(cluster, 'Degraded')?.message).toContain('to try it again, spec.backup has to be there again;');
    await change(cluster, { backup: unsaved.backup });
    await cluster.advance(60_000);
    expect(condition(cluster, 'Degraded')?.message).toContain(
      `to try it again: kubectl delete job -n default ${name};`,
    );
    await tryAgain(cluster, name);
    await endWell(cluster, end);
    cluster.stop();
  });
});

describe('a backup that has failed while the cluster is deleted', () => {
  test('is tried again as the spec is by then, is reported without a needless write, and goes by what its message says', async () => {
    const { cluster, end } = await deletedMeanwhile();
    end(1);
    await cluster.advance(600_000);
    const { resourceVersion } = storeNow(cluster)?.metadata ?? {};
    await cluster.advance(36_000_000);
    expect(storeNow(cluster)?.metadata.resourceVersion).toBe(resourceVersion);
    let runs = 0;
    cluster.image('example.com/backup:mended', { run: () => ((runs += 1), 1) });
    await change(cluster, { backup: { job: { image: 'example.com/backup:mended' } } });
    const name = reportedCommand(cluster, /kubectl delete job -n default ([^;\s]+);/) ?? '';
    await cluster.client()(jobs).namespace('default').delete(name);
    await until(cluster, () => runs === 1 && condition(cluster, 'Degraded')?.status === 'True');
    expect(condition(cluster, 'Degraded')?.reason).toBe('BackupFailed');
    const skipped = reportedCommand(
      cluster,
      /kubectl annotate -n default kvs orders ordinal.dev\/skip=(\S+) --overwrite$/,
    );
    await annotate(cluster, { 'ordinal.dev/skip': skipped });
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(claims(cluster)).toEqual([]);
    cluster.stop();
  });

  // Found by a third reader: it was reported as failed while it ran, with the command that would have ended it.
  test('is reported from its own Job, also where that of an earlier one of its name is seen once more', async () => {
    const { cluster, operator } = await kvStoreWorld();
    await stores(cluster).create(store(unsaved));
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Ready');
    const end = slowBackups(cluster);
    for (const name of ['monday', 'tuesday']) {
      await ask(cluster, name);
      end(1);
      await until(cluster, () => recorded(cluster)?.subject === name && recorded(cluster)?.result !== undefined);
    }
    await cluster.advance(60_000);
    const before = cluster.clock.now();
    await cluster.advance(60_000);
    await ask(cluster, 'monday');
    await stores(cluster).delete('orders');
    await cluster.advance(10_000);
    const reported = new Set<string>();
    cluster.server.store.subscribe(() => {
      const degraded = condition(cluster, 'Degraded');
      if (degraded?.status === 'True') reported.add(degraded.reason);
    });
    operator.crash();
    operator.travelBack('jobs', cluster.clock.now() - before, 20_000);
    operator.start();
    await cluster.advance(60_000);
    expect([...reported]).toEqual([]);
    end(1);
    await cluster.advance(60_000);
    expect([...reported]).toEqual(['BackupFailed']);
    cluster.stop();
  });
});

// Found by a third reader: it was waited for without a deadline.
test('an earlier Job of the name that a finalizer holds is reported after a quarter of an hour', async () => {
  const { cluster, end } = await backingUp(unsaved);
  const job = await ask(cluster, 'monday');
  end(0);
  await until(cluster, () => recorded(cluster)?.result === 'Succeeded');
  await ask(cluster, 'tuesday');
  end(0);
  await until(cluster, () => recorded(cluster)?.subject === 'tuesday' && recorded(cluster)?.result === 'Succeeded');
  const hold = holderOf(cluster, jobs, job);
  await hold(['example.com/stuck']);
  await annotate(cluster, { 'ordinal.dev/backup': 'monday' });
  await stores(cluster).delete('orders');
  await cluster.advance(600_000);
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'False' });
  await cluster.advance(600_000);
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'BackupFailed' });
  expect(condition(cluster, 'Degraded')?.message).toContain(`kubectl get job -n default ${job} -o yaml`);
  await hold(null);
  await until(cluster, () => backupsAtWork(cluster).length === 1);
  await endWell(cluster, end);
  cluster.stop();
});

describe('a backup that was asked for at the moment of the deletion', () => {
  test.each(['Background', 'Foreground'] as const)('is made before the data goes (%s)', async (propagationPolicy) => {
    const { cluster, end } = await backingUp(unsaved);
    await annotate(cluster, { 'ordinal.dev/backup': 'last' });
    await stores(cluster).delete('orders', { propagationPolicy });
    await until(cluster, () => backupsAtWork(cluster).length === 1);
    expect(claims(cluster)).toHaveLength(3);
    end(0);
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(jobsFor(cluster, 'Backup').map(({ status }) => status?.succeeded)).toEqual([1]);
    expect(claims(cluster)).toEqual([]);
    cluster.stop();
  });

  const refused = async (spec: Parameters<typeof store>[0]) => {
    const { cluster } = await backingUp(spec);
    refuse(cluster, ({ verb, resource: { plural } }) => plural === 'jobs' && verb === 'create');
    await annotate(cluster, { 'ordinal.dev/backup': 'last' });
    await stores(cluster).delete('orders');
    await cluster.advance(3_600_000);
    return cluster;
  };

  // Found by a second reader: the deletion waited for ever.
  test.each(['BestEffort', 'Skip'] as const)('holds nothing up where its Job is refused (%s)', async (onDelete) => {
    const cluster = await refused({ backup: { job, onDelete } });
    expect(storeNow(cluster)).toBeUndefined();
    expect(claims(cluster)).toHaveLength(3);
    cluster.stop();
  });

  test('is tried again where its Job is refused and the volumes go', async () => {
    const cluster = await refused(unsaved);
    expect(storeNow(cluster)?.status?.processingError?.reason).toBe('Refused');
    expect(images(cluster)).toHaveLength(3);
    cluster.stop();
  });

  // Found by a third reader: it was not reported that it was not made.
  test('holds nothing up where the namespace goes, which is reported', async () => {
    const { cluster } = await kvStoreWorld();
    const metadata = { name: 'shop' };
    await cluster.client()(namespaces).cluster().create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    const there = cluster.client()(kvStoreClusters).namespace('shop');
    await there.create({ ...store(unsaved), metadata: { name: 'orders', namespace: 'shop' } });
    const now = () => cluster.objects.find(kvStoreClusters, 'shop', 'orders');
    await until(cluster, () => now()?.status?.phase === 'Ready');
    const annotations = { 'ordinal.dev/backup': 'last' };
    await there.patch('orders', { type: 'merge', body: { metadata: { annotations } } });
    const said = new Set<string>();
    cluster.server.store.subscribe(() => {
      for (const { message } of now()?.status?.conditions ?? []) said.add(message);
    });
    await cluster.client()(namespaces).cluster().delete('shop');
    await until(cluster, () => cluster.objects.find(namespaces, '', 'shop') === undefined);
    expect(cluster.objects.find(namespaces, '', 'shop')).toBeUndefined();
    expect([...said].join('\n')).toContain('a backup that was asked for was not waited for');
    cluster.stop();
  });
});

test('a backup that is asked for when the volumes go already holds nothing up', async () => {
  const { cluster } = await backingUp(unsaved);
  const held = holderOf(cluster, persistentVolumeClaims, 'data-orders-0');
  await held(['example.com/stuck']);
  await stores(cluster).delete('orders');
  await until(cluster, () => condition(cluster, 'Progressing')?.reason === 'DeletingVolumes');
  await cluster.settle();
  await annotate(cluster, { 'ordinal.dev/backup': 'late' });
  await cluster.advance(60_000);
  expect(jobsFor(cluster, 'Backup')).toEqual([]);
  await held(null);
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(storeNow(cluster)).toBeUndefined();
  cluster.stop();
});

test('a backup that had failed before the deletion holds nothing up', async () => {
  const { cluster, end } = await backingUp(unsaved);
  await ask(cluster, 'last');
  end(1);
  await until(cluster, () => storeNow(cluster)?.status?.hooks?.[0]?.result === 'Failed');
  await stores(cluster).delete('orders');
  await until(cluster, () => storeNow(cluster) === undefined);
  expect(claims(cluster)).toEqual([]);
  cluster.stop();
});
