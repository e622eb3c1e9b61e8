import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import { createClient, secrets } from '@ordinal/client';
import { cloudDatabaseControllers } from '@ordinal/reconcilers';
import { createManager } from '@ordinal/runtime';
import type { EventRecord } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { memoryProvider } from '../../../examples/cloud-api/memory-provider.ts';
import { newPassword } from '../src/controllers.ts';
import { parseSettings } from '../src/configuration/parse.ts';
import { options } from '../src/configuration/settings.ts';
import { DefaultAccount } from '../src/default-account.ts';
import { reachOutside } from '../src/outside.ts';
import { createExchange, databaseProviders } from '../src/providers/index.ts';

const crd = readFileSync(new URL('../../../libs/api/crds/clouddatabases.db.example.com.yaml', import.meta.url), 'utf8');
const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log };
const policy = {};

/** An operator whose databases have an account in the Secret `default/cloud`, and a database that names none. */
async function world({ mayRead = true }: { readonly mayRead?: boolean } = {}) {
  const cluster = await SimulatedCluster.start({ crds: [crd], nodes: 0, events: false });
  const events: EventRecord[] = [];
  const system = memoryProvider();
  const kinds = { memory: { identity: [], credentials: [], open: [], create: () => system } };
  const operator = cluster.operator('ordinal', async ({ transport, clock, random, identity }) => {
    const client = createClient({ transport, clock, random, fieldManager: 'ordinal-operator' });
    const account = new DefaultAccount({ client, clock, log, place: 'default/cloud' });
    await account.start();
    const providers = databaseProviders({
      ...{ clock, policy, kinds, exchange: createExchange({ policy }), callTimeoutMs: 5_000 },
      rateLimit: { perSecond: 50, burst: 20 },
      defaultAccount: () => account.current(),
    });
    const publish = (event: EventRecord): void => void events.push(event);
    const manager = createManager({ client, clock, random, name: 'test/operator', identity, events: { publish } });
    const seals = { keys: () => [createSecretKey(Buffer.alloc(32, 'key'))] };
    for (const definition of cloudDatabaseControllers({ providers, seals, newPassword })) manager.add(definition);
    void manager.start();
    return { stop: () => (account.close(), manager.stop()) };
  });
  const access = { mayRead };
  operator.hook({
    before: ({ kind, target }) =>
      !access.mayRead && kind === 'read' && target.endsWith('/secrets/cloud')
        ? { refuse: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden', message: 'secrets "cloud" is forbidden' } } // prettier-ignore
        : undefined,
  });
  await cluster
    .client()(cloudDatabases)
    .namespace('default')
    .create({
      apiVersion: 'db.example.com/v1',
      kind: 'CloudDatabase',
      metadata: { name: 'orders', namespace: 'default' },
      spec: { engine: 'postgres', size: 'small' },
    });
  const now = (): CloudDatabase | undefined => cluster.objects.find(cloudDatabases, 'default', 'orders');
  const shown = () => {
    const synced = now()?.status?.conditions?.find(({ type }) => type === 'Synced');
    return [synced?.status, synced?.reason, synced?.message].join(' ');
  };
  return { cluster, events, access, now, shown };
}

const createSecret = (cluster: SimulatedCluster, data: Record<string, string> = { provider: btoa('memory') }) =>
  cluster
    .client()(secrets)
    .namespace('default')
    .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'cloud', namespace: 'default' }, data });

test('without the Secret of --provider-secret the operator runs, a database says what is missing, and goes on within about a minute of its creation', async () => {
  const { cluster, events, now, shown } = await world();
  await cluster.advance(180_000);
  const missing = '--provider-secret names default/cloud, and there is no such Secret: create it';
  expect(shown()).toContain(`False CallFailed Refused: ${missing}`);
  const published = events.map(({ type, reason, note }) => `${type} ${reason} ${note.includes(missing)}`);
  expect([...new Set(published)]).toEqual(['Warning ProcessingError true']);
  await createSecret(cluster);
  // The operator reads it after half a minute at most, and the database looks half a minute and a tenth of that later.
  await cluster.advance(65_000);
  expect([now()?.status?.phase, shown().split(' ')[0]]).toEqual(['Ready', 'True']);
  cluster.stop();
});

test('a Secret that may not be read is a reason to wait as well, also when the operator starts', async () => {
  const { cluster, access, now, shown } = await world({ mayRead: false });
  await createSecret(cluster);
  await cluster.advance(60_000);
  expect(shown()).toContain("the Secret default/cloud, which --provider-secret names, can't be read: ");
  expect(shown()).toContain('secrets "cloud" is forbidden');
  access.mayRead = true;
  await cluster.advance(65_000);
  expect(now()?.status?.phase).toBe('Ready');
  cluster.stop();
});

test('the flag names it: what reaches providers is made without the Secret, and has the account once that is there', async () => {
  const cluster = await SimulatedCluster.start({ nodes: 0, events: false });
  const parsed = parseSettings(options, { flags: ['--provider-secret=default/cloud'], environment: {} });
  if (!parsed.ok) throw new Error(parsed.problems.join(', '));
  const outside = await reachOutside(parsed.settings, {
    client: cluster.client(),
    clock: cluster.clock,
    log,
    share: () => 1,
  });
  expect(() => outside.providers.resolve(undefined)).toThrow('names default/cloud, and there is no such Secret');
  const data = { provider: btoa('http'), endpoint: btoa('https://cloud.example'), token: btoa('t') };
  await createSecret(cluster, data);
  await cluster.advance(31_000);
  expect(outside.providers.resolve(undefined).account).toContain('https://cloud.example');
  await outside.close();
  cluster.stop();
});
