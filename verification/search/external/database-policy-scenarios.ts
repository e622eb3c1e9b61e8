import { isApiError, secrets } from '@ordinal/client';
import type { DatabaseScenario } from './database-steps.ts';
import {
  accountSecret,
  connection,
  create,
  name,
  reach,
  ready,
  remove,
  resource,
  secretsOf,
  until,
  works,
} from './database-steps.ts';
import type { DatabaseWorld } from '../../../libs/reconcilers/test/external/database-world.ts';
import { Standstill } from '../../../libs/reconcilers/test/external/broken.ts';

/** Deletes the connection Secret, if there is one. */
async function discard(world: DatabaseWorld): Promise<void> {
  await secretsOf(world)
    .delete(connection)
    .catch((error: unknown) => {
      if (!isApiError(error, 'NotFound')) throw error;
    });
}

/** Puts another owner's Secret into the place of the connection Secret, however quickly the operator makes it again. */
async function usurp(world: DatabaseWorld): Promise<void> {
  await discard(world);
  await secretsOf(world)
    .create(accountSecret(connection))
    .catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      return usurp(world);
    });
}

/** What the spec says of a database that exists already, that is to outlive its last snapshot, or that is made with an account of its own. */
export const policyScenarios: readonly DatabaseScenario[] = [
  {
    name: 'deleted after a final snapshot',
    left: 0,
    snapshots: 1,
    async run(world) {
      await create(world, { deletionPolicy: 'Snapshot' });
      await ready(world);
      await remove(world);
    },
  },
  {
    name: 'imported, resized, left',
    left: 1,
    async run(world) {
      const legacy = world.provider.keep({ displayName: 'legacy', size: 'small' });
      await create(world, { externalName: 'legacy' });
      await ready(world);
      await resource(world).patch(name, { type: 'merge', body: { spec: { size: 'large' } } });
      await reach(world, 'the new size', () => legacy.fields['size'] === 'large');
      await remove(world);
    },
  },
  {
    name: 'imported late, deleted',
    left: 0,
    async run(world) {
      await create(world, { externalName: 'legacy', deletionPolicy: 'Delete' });
      await world.cluster.advance(20_000);
      world.provider.keep({ displayName: 'legacy', size: 'small' });
      await ready(world);
      await remove(world);
    },
  },
  {
    name: 'only watched, and gone outside',
    left: 0,
    async run(world) {
      world.provider.keep({ displayName: 'legacy', size: 'large' });
      await create(world, { externalName: 'legacy', managementPolicies: ['Observe'] });
      await ready(world);
      world.provider.lose('');
      await until(world, 'ImportNotFound', (object) => object?.status?.phase === 'Failed');
      await remove(world);
      const changes = Object.keys(world.provider.calls).filter((method) => method !== 'GET');
      if (changes.length > 0) throw new Standstill(`what may only be watched met ${changes.join(', ')}`);
    },
  },
  {
    name: 'made with an account of its own, whose Secret is deleted before it and loses its protection',
    left: 0,
    async run(world) {
      await secretsOf(world).create(accountSecret('account', { finalizers: ['example.com/held'] }));
      await create(world, { providerRef: { name: 'account' } });
      await ready(world);
      await secretsOf(world).delete('account');
      await world.cluster.advance(5_000);
      const body = { metadata: { finalizers: ['example.com/held'] } };
      await secretsOf(world).patch('account', { type: 'merge', body });
      await remove(world);
    },
  },
  {
    name: 'its connection Secret gone while it is made, another owner’s in its place for a minute, deleted',
    left: 0,
    isUnrepeatable: true,
    async run(world) {
      await create(world);
      await world.cluster.advance(500);
      await discard(world);
      await world.cluster.advance(5_000);
      await usurp(world);
      await world.cluster.advance(60_000);
      const foreign = world.cluster.objects.find(secrets, 'default', connection);
      if (foreign?.data?.['password'] !== undefined) throw new Standstill('another owner’s Secret was written over');
      await discard(world);
      await ready(world);
      await works(world);
      await remove(world);
    },
  },
];
