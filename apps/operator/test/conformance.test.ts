import { setTimeout as sleep } from 'node:timers/promises';
import type { ConformanceSubject } from '@ordinal/lifecycle';
import { conformanceOf, ExternalError } from '@ordinal/lifecycle';
import type { DatabaseRequest, DatabaseSystem, DatabaseView, MonitorRequest, MonitorView } from '@ordinal/reconcilers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCloudServer } from '../../../examples/cloud-api/cloud-server.ts';
import type { CloudServer } from '../../../examples/cloud-api/cloud-server.ts';
import { startMonitorServer } from '../../../examples/cloud-api/monitor-server.ts';
import type { MonitorServer } from '../../../examples/cloud-api/monitor-server.ts';
import { cloudApi } from '../src/providers/http/cloud-api.ts';
import { createExchange } from '../src/providers/http/exchange.ts';
import { httpMonitors } from '../src/providers/http/monitors.ts';
import { checkedLookup } from '../src/providers/network/checked-lookup.ts';
import { postgresProvider } from '../src/providers/postgres/provider.ts';
import { rdsProvider } from '../src/providers/rds/provider.ts';
import { motoNote, prepareMoto, startMoto } from './servers/moto.ts';
import { postgresPrograms, startPostgres } from './servers/postgres.ts';
import type { PostgresProcess } from './servers/postgres.ts';

const policy = { allowedNetworks: ['127.0.0.0/8'] };
const exchange = createExchange({ policy });
const lookup = checkedLookup(policy);
const signal = new AbortController().signal;
let owners = 0;

const desired: DatabaseRequest = {
  engine: 'postgres',
  size: 'small',
  displayName: 'shop/orders',
  username: 'ordinal',
  password: 'long-enough-1',
};

type Subject = ConformanceSubject<DatabaseRequest, DatabaseView>;

const databaseSubject = (system: DatabaseSystem, patienceMs: number): Subject => ({
  system,
  desired: () => desired,
  change: { to: { size: 'large' }, shows: (view) => view.size === 'large' },
  owner: () => `0a1b2c3d-0000-4000-8000-${String((owners += 1)).padStart(12, '0')}`,
  pass: async (ms) => sleep(ms),
  patienceMs,
});

/** Tests are declared before servers run, so the subject is made when a test begins; their names depend on its outline alone. */
function declare<D, V extends DatabaseView | MonitorView>(
  outline: { readonly repeatedCreate: 'returnsFirst' | 'makesAnother'; readonly refuses: boolean },
  subject: () => ConformanceSubject<D, V>,
): void {
  const { repeatedCreate, refuses } = outline;
  const named = { system: { traits: { repeatedCreate } }, ...(refuses ? { unacceptable: {} } : {}) };
  conformanceOf(named as unknown as ConformanceSubject<D, V>).forEach(({ name }, index) => {
    test(name, { timeout: 60_000 }, async () => {
      await conformanceOf(subject())[index]?.run();
    });
  });
}

describe.each([
  ['the HTTP cloud API', true, 'returnsFirst', 0],
  ['a cloud API without idempotency, with late lists', false, 'makesAnother', 150],
] as const)('%s', (_name, idempotency, repeatedCreate, listLagMs) => {
  let server: CloudServer;
  beforeAll(async () => (server = await startCloudServer({ idempotency, listLagMs, token: 'secret' })));
  afterAll(async () => {
    expect(server.databases()).toEqual([]);
    await server.close();
  });
  const system = (): DatabaseSystem =>
    cloudApi({ endpoint: server.url, token: 'secret', idempotency, settleMs: 500, callTimeoutMs: 5_000 }, exchange);
  const unacceptable = { ...desired, password: 'short' };
  declare({ repeatedCreate, refuses: true }, () => ({ ...databaseSubject(system(), 5_000), unacceptable }));

  test('a final snapshot is taken once, however often the deletion is asked for', async () => {
    const provider = system();
    const { id } = await provider.create({ token: 'snapshot-1', owner: 'snapshot', desired }, signal);
    await provider.delete({ id, finalSnapshot: 'final' }, signal);
    await provider.delete({ id, finalSnapshot: 'final' }, signal);
    await expect.poll(() => server.databases()).toEqual([]);
    expect(server.snapshots()).toEqual(['final']);
  });
});

describe('a monitoring service', () => {
  let server: MonitorServer;
  beforeAll(async () => (server = await startMonitorServer({ token: 'secret' })));
  afterAll(async () => {
    expect([...server.entries]).toEqual([]);
    await server.close();
  });
  const monitors = httpMonitors({ exchange, policy, callTimeoutMs: 5_000, settleMs: 10_000 });
  const subject = (): ConformanceSubject<MonitorRequest, MonitorView> => ({
    system: monitors.at(server.url, 'secret'),
    desired: () => ({ serviceName: 'db', namespace: 'shop', muted: false }),
    change: { to: { muted: true }, shows: ({ muted }) => muted === true },
    owner: () => `owner-${(owners += 1)}`,
    pass: async (ms) => sleep(ms),
    patienceMs: 2_000,
  });
  declare({ repeatedCreate: 'returnsFirst', refuses: false }, subject);

  test('wrong credentials wait for a correction, and nothing was done', async () => {
    const call = monitors.at(server.url, 'wrong').findByOwner('anybody', signal);
    await expect(call).rejects.toMatchObject({ code: 'Unauthorized', retry: 'wait', applied: 'no' });
  });
});

const programs = postgresPrograms();
describe.skipIf(programs === undefined)(
  'a PostgreSQL server (skipped where Debian’s package postgresql is not installed)',
  () => {
    let server: PostgresProcess;
    beforeAll(async () => (server = await startPostgres(programs ?? '')), 60_000);
    afterAll(async () => (server as PostgresProcess | undefined)?.remove());
    const system = (password = 'administrator'): DatabaseSystem =>
      postgresProvider({ policy, lookup, callTimeoutMs: 5_000 }).create({
        host: '127.0.0.1',
        port: String(server.port),
        username: 'admin',
        password,
        sslMode: 'disable',
      });
    const unacceptable: DatabaseRequest = { ...desired, engine: 'mysql' };
    declare({ repeatedCreate: 'returnsFirst', refuses: true }, () => ({
      ...databaseSubject(system(), 5_000),
      unacceptable,
    }));

    test('the role of a database logs in to it, and a changed password counts', async () => {
      const provider = system();
      const made = await provider.create({ token: 'login-1', owner: 'login', desired }, signal);
      await provider.update(made.id, { password: 'another-password' }, signal);
      const { Client } = await import('pg');
      const client = new Client({
        host: '127.0.0.1',
        port: server.port,
        user: made.username ?? '',
        password: 'another-password',
        database: made.database ?? '',
      });
      await client.connect();
      await client.query('CREATE TABLE orders (id int)');
      await client.end();
      await provider.delete({ id: made.id }, signal);
      expect(await provider.findByOwner('login', signal)).toEqual([]);
    });

    test('wrong credentials wait for a correction, and nothing was done', async () => {
      await expect(system('wrong').get('x', signal)).rejects.toMatchObject({
        code: 'Unauthorized',
        retry: 'wait',
        applied: 'no',
      });
    });

    test('a server that is down is tried again, and nothing was done', async () => {
      await server.stop();
      await expect(system().get('x', signal)).rejects.toMatchObject({
        code: 'Unreachable',
        retry: 'backoff',
        applied: 'no',
      });
      await server.start();
      expect(await system().get('x', signal)).toBeUndefined();
    });
  },
);

const moto = await prepareMoto();

describe.skipIf('missing' in moto)(`AWS RDS, as moto plays it${motoNote(moto)}`, () => {
  let endpoint = '';
  let stop = (): void => undefined;
  beforeAll(async () => {
    const server = await startMoto(moto);
    ({ endpoint } = server);
    stop = () => server.stop();
  });
  afterAll(() => stop());
  const system = (): DatabaseSystem =>
    // Moto loads what it needs at the first call of a kind, which takes long on a busy machine.
    rdsProvider({ policy, lookup, callTimeoutMs: 30_000 }).create({
      region: 'eu-west-1',
      accessKeyId: 'test',
      secretAccessKey: 'test',
      endpoint,
      settleSeconds: '1',
    });
  declare({ repeatedCreate: 'returnsFirst', refuses: false }, () => databaseSubject(system(), 10_000));
});

test('a link-local address is refused before anything is sent', async () => {
  const strict = createExchange({ policy: {} });
  const call = strict({ method: 'GET', url: new URL('http://169.254.169.254/latest/meta-data') }, signal);
  await expect(call).rejects.toMatchObject({ code: 'EndpointRefused', retry: 'terminal', applied: 'no' });
});

test('a name that resolves to a refused address is refused when it is connected to', async () => {
  const strict = createExchange({ policy: {} });
  const call = strict({ method: 'GET', url: new URL('http://localhost:9/') }, signal);
  await expect(call).rejects.toSatisfy((error) => error instanceof ExternalError && error.code === 'EndpointRefused');
});
