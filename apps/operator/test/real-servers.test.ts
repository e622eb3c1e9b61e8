import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { SimulatedCluster } from '@ordinal/simulator';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { startCloudServer } from '../../../examples/cloud-api/cloud-server.ts';
import type { ProviderDescription } from '../src/providers/index.ts';
import { checkedLookup } from '../src/providers/network/checked-lookup.ts';
import { postgresServer } from '../src/providers/postgres/postgres.ts';
import { rds } from '../src/providers/rds/rds.ts';
import { crd, databaseOperator, policy } from './servers/database-operator.ts';
import { motoNote, prepareMoto, startMoto } from './servers/moto.ts';
import { freePort, postgresPrograms, startPostgres } from './servers/postgres.ts';

/** A provider that really runs, as its account's owner sees it. */
interface RealProvider {
  readonly description: ProviderDescription;
  /** What is there now, counted at the provider. */
  count(): Promise<number>;
  /** A user deletes everything by hand. */
  destroy(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const patience = { timeout: 40_000, interval: 50 };

/** One database through its whole life, with everything that can be done to it, in the machine's time. */
async function live(provider: RealProvider): Promise<void> {
  const cluster = await SimulatedCluster.start({ crds: [crd], pace: 1, nodes: 0, events: false });
  const running = cluster.operator('ordinal', databaseOperator);
  const over = new AbortController();
  const turning = cluster.run({ until: () => over.signal.aborted, maxVirtualMs: 300_000 });
  const client = cluster.client();
  const now = (): CloudDatabase | undefined => cluster.objects.find(cloudDatabases, 'default', 'orders');
  const phase = (): string | undefined => now()?.status?.phase;
  const data = Object.fromEntries(Object.entries(provider.description).map(([key, value]) => [key, btoa(value)]));
  try {
    await client(secrets)
      .namespace('default')
      .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'account', namespace: 'default' }, data });
    const resource = client(cloudDatabases).namespace('default');
    const spec = { engine: 'postgres', size: 'small', providerRef: { name: 'account' } } as const;
    await resource.create({
      apiVersion: 'db.example.com/v1',
      kind: 'CloudDatabase',
      metadata: { name: 'orders', namespace: 'default' },
      spec,
    });
    // Killed as soon as it has announced the creation, and started again.
    await expect.poll(() => now()?.status?.external?.token, patience).toBeDefined();
    running.restart(200);
    await expect.poll(phase, patience).toBe('Ready');
    expect(await provider.count()).toBe(1);

    await resource.patch('orders', { type: 'merge', body: { spec: { size: 'large' } } });
    await expect.poll(() => now()?.status?.size, patience).toBe('large');

    await provider.stop();
    await sleep(1_500);
    expect(now()?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    await provider.start();
    await expect
      .poll(() => now()?.status?.conditions?.find(({ type }) => type === 'Synced')?.status, patience)
      .toBe('True');

    await provider.destroy();
    await expect.poll(() => now()?.status?.external?.incarnation, patience).toBe(2);
    await expect.poll(phase, patience).toBe('Ready');
    expect(await provider.count()).toBe(1);

    await resource.delete('orders');
    await expect.poll(() => now()?.status?.external?.deleteRequestedAt, patience).toBeDefined();
    running.restart(200);
    await expect.poll(now, patience).toBeUndefined();
    expect(await provider.count()).toBe(0);
    await client(secrets).namespace('default').delete('account');
    await expect.poll(() => cluster.objects.find(secrets, 'default', 'account'), patience).toBeUndefined();
  } finally {
    over.abort();
    cluster.stop();
    await turning;
    await provider.remove();
  }
}

async function cloud(): Promise<RealProvider> {
  const port = await freePort();
  const stateFile = join(tmpdir(), `ordinal-cloud-${port}.json`);
  const begin = () => startCloudServer({ port, stateFile, token: 'secret', createMs: 300, deleteMs: 300 });
  let server = await begin();
  return {
    description: { provider: 'http', endpoint: server.url, token: 'secret', settleSeconds: '1' },
    count: async () => Promise.resolve(server.databases().length),
    destroy: async () => Promise.resolve(server.databases().forEach(({ id }) => server.destroy(id))),
    stop: () => server.close(),
    start: async () => void (server = await begin()),
    remove: async () => {
      await server.close();
      rmSync(stateFile, { force: true });
    },
  };
}

const programs = postgresPrograms();

async function postgres(): Promise<RealProvider> {
  const server = await startPostgres(programs ?? '');
  const { port, password } = server;
  const account = { host: '127.0.0.1', username: 'admin', password };
  const system = postgresServer({
    ...account,
    port,
    database: 'postgres',
    sslMode: 'disable',
    lookup: checkedLookup(policy),
    callTimeoutMs: 5_000,
  });
  const { signal } = new AbortController();
  const list = async (): Promise<readonly string[]> => {
    const client = new Client({ host: account.host, port, user: account.username, password, database: 'postgres' });
    await client.connect();
    const { rows } = await client.query<{ datname: string }>(
      "SELECT datname FROM pg_database WHERE starts_with(datname, 'o_')",
    );
    await client.end();
    return rows.map(({ datname }) => datname);
  };
  return {
    description: { provider: 'postgres', ...account, port: String(port), sslMode: 'disable' },
    count: async () => (await list()).length,
    destroy: async () => {
      for (const id of await list()) await system.delete({ id }, signal);
    },
    stop: () => server.stop(),
    start: () => server.start(),
    remove: () => server.remove(),
  };
}

const moto = await prepareMoto();

/** Moto keeps nothing on disk, so it is not ended but frozen for a while: callers wait in vain. */
async function aws(): Promise<RealProvider> {
  const server = await startMoto(moto);
  const account = { region: 'eu-west-1', accessKeyId: 'test', secretAccessKey: 'test', endpoint: server.endpoint };
  const { RDSClient, DescribeDBInstancesCommand } = await import('@aws-sdk/client-rds');
  const client = new RDSClient({ region: account.region, endpoint: account.endpoint, credentials: account });
  const system = rds({ ...account, lookup: checkedLookup(policy), callTimeoutMs: 20_000 });
  const list = async () => (await client.send(new DescribeDBInstancesCommand({}))).DBInstances ?? [];
  return {
    description: { provider: 'rds', ...account, settleSeconds: '1' },
    count: async () => (await list()).length,
    destroy: async () => {
      for (const { DBInstanceIdentifier: id = '' } of await list())
        await system.delete({ id }, new AbortController().signal);
    },
    stop: async () => Promise.resolve(server.freeze()),
    start: async () => Promise.resolve(server.thaw()),
    remove: async () => Promise.resolve(server.stop()),
  };
}

describe('a database lives its life, with the operator killed and the provider stopped, and nothing is doubled or left', () => {
  test('at the HTTP cloud API', { timeout: 120_000 }, async () => live(await cloud()));

  test.skipIf(programs === undefined)(
    'in a PostgreSQL server (skipped where Debian’s package postgresql is not installed)',
    { timeout: 120_000 },
    async () => live(await postgres()),
  );

  test.skipIf('missing' in moto)(`at AWS RDS, as moto plays it${motoNote(moto)}`, { timeout: 240_000 }, async () =>
    live(await aws()),
  );
});
