import type { CloudDatabaseInput } from '@ordinal/api';
import { cloudDatabases } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { cloudDatabaseControllers } from '../../src/cloud-database/index.ts';
import type { DatabaseSystem } from '../../src/cloud-database/index.ts';
import { ExternalError } from '@ordinal/lifecycle';
import { definition } from '../external/definition.ts';
import { clientOf, managerOf, seals, start } from '../operator/parts.ts';

const traits = { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 } as const;
const namespaces = ['hostile', 'other'];

const databaseOf = (namespace: string, name: string): CloudDatabaseInput => ({
  apiVersion: 'db.example.com/v1',
  kind: 'CloudDatabase',
  metadata: { name, namespace },
  spec: { engine: 'postgres', size: 'small', providerRef: { name: 'account' } },
});

/** After how many milliseconds a new database of one namespace is asked for, beside so many of another whose provider never answers. */
async function createdAfter(hostile: number): Promise<number> {
  const crds = [definition('clouddatabases.db.example.com.yaml')];
  const cluster = await SimulatedCluster.start({ crds, namespaces, events: false });
  let createdAt: number | undefined;
  cluster.operator('ordinal', (environment) => {
    const manager = managerOf(environment, clientOf(environment));
    const silent = (): Promise<never> =>
      new Promise((_, reject) => {
        environment.clock.after(traits.callTimeoutMs, () => reject(new ExternalError('TimedOut', 'nothing came')));
      });
    const silence: DatabaseSystem = {
      ...{ traits, get: silent, findByOwner: silent },
      ...{ create: silent, update: silent, delete: silent },
    };
    const prompt: DatabaseSystem = {
      traits,
      get: () => Promise.resolve(undefined),
      findByOwner: () => Promise.resolve([]),
      create: ({ token, owner }) => {
        createdAt ??= environment.clock.now();
        return Promise.resolve({ id: 'd-1', token, owner, state: 'ready' });
      },
      update: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    };
    let passwords = 0;
    const newPassword = (): string => `secret-${(passwords += 1)}`;
    const resolve = (description: Readonly<Record<string, string>> | undefined) => {
      const account = description?.['account'] ?? '';
      return { account, system: account === 'hostile' ? silence : prompt };
    };
    for (const controller of cloudDatabaseControllers({ providers: { resolve }, newPassword, seals }))
      manager.add(controller);
    return start(manager);
  });
  for (const namespace of namespaces) {
    const metadata = { name: 'account', namespace };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: { account: btoa(namespace) } } as const;
    await cluster.client()(secrets).namespace(namespace).create(secret);
  }
  const databases = cluster.client()(cloudDatabases);
  for (let n = 0; n < hostile; n += 1) await databases.namespace('hostile').create(databaseOf('hostile', `d-${n}`));
  // No multiple of the time that a call may take: workers that wait for calls would all be free then.
  await cluster.advance(62_500);
  const begunAt = cluster.clock.now();
  await databases.namespace('other').create(databaseOf('other', 'app'));
  await cluster.run({ until: () => createdAt !== undefined, maxVirtualMs: 600_000 });
  cluster.stop();
  return (createdAt ?? Infinity) - begunAt;
}

test('beside 200 databases whose provider never answers, one of another namespace is made as fast as alone', async () => {
  const [alone, beside] = [await createdAfter(0), await createdAfter(200)];
  expect(beside, `alone it takes ${alone} ms`).toBeLessThan(alone + 500);
}, 120_000);
