import { isApiError, secrets } from '@ordinal/client';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';
import type { DatabaseScenario } from './database-steps.ts';
import {
  connection,
  create,
  name,
  reach,
  ready,
  remove,
  reported,
  resource,
  secretsOf,
  until,
  works,
} from './database-steps.ts';
import type { DatabaseWorld } from '../../../libs/reconcilers/test/external/database-world.ts';
import { databaseNow } from '../../../libs/reconcilers/test/external/database-world.ts';
import { Standstill } from '../../../libs/reconcilers/test/external/broken.ts';

/** In fifty minutes, from two seconds after another to once a minute: some 80 looks, and more where faults make it begin again. */
const maxLooks = 300;

const connectionNow = ({ cluster }: DatabaseWorld) => cluster.objects.find(secrets, 'default', connection);

const ownerOf = ({ cluster }: DatabaseWorld): string => databaseNow(cluster, name)?.metadata.uid ?? '';

/** Runs until the n-th database is there and its ID is known. How many there were may be lost in a restore of etcd. */
const known = (world: DatabaseWorld, incarnation: number): Promise<void> =>
  until(world, `database ${incarnation}`, (object) => {
    const { id, incarnation: now } = object?.status?.external ?? {};
    const isThere = world.provider.present().some((thing) => thing.id === id);
    return isThere && (now === incarnation || wasRestored(world.cluster)) && object?.status?.phase === 'Ready';
  });

/** Unexpected actions of users and providers. */
export const failureScenarios: readonly DatabaseScenario[] = [
  {
    name: 'asked for another engine, which is refused, deleted',
    left: 0,
    rules: true,
    async run(world) {
      await create(world);
      await ready(world);
      await resource(world)
        .patch(name, { type: 'merge', body: { spec: { engine: 'mysql' } } })
        .catch((error: unknown) => {
          if (!isApiError(error, 'Invalid')) throw error;
        });
      await world.cluster.advance(10_000);
      await works(world);
      await remove(world);
    },
  },
  {
    name: 'made again, restored without its status, made again, deleted',
    left: 0,
    isShown: true,
    async run(world) {
      await create(world);
      await ready(world);
      world.provider.lose(ownerOf(world));
      await known(world, 2);
      await resource(world).status.patch(name, { type: 'merge', body: { status: null } });
      await known(world, 2);
      world.provider.lose(ownerOf(world));
      await known(world, 3);
      await works(world);
      await remove(world);
    },
  },
  {
    name: 'given a password while its Secret is about to be written, deleted',
    left: 0,
    isUnrepeatable: true,
    async run(world) {
      let isHeld = false;
      const release = world.operator.hook({
        before: ({ kind, target }) => {
          const isWrite = kind === 'write' && target.endsWith(`/secrets/${connection}`);
          if (isHeld || !isWrite || connectionNow(world) === undefined) return undefined;
          isHeld = true;
          return { delayMs: 5_000 };
        },
      });
      await create(world);
      await reach(world, 'a second write of the Secret', () => isHeld);
      release();
      const data = { password: btoa('by-hand') };
      await secretsOf(world).patch(connection, { type: 'merge', body: { data } });
      await ready(world);
      await works(world);
      if (connectionNow(world)?.data?.['password'] !== data.password)
        throw new Standstill('the password that a user has put there was written over');
      await remove(world);
    },
  },
  {
    name: 'deleted at a provider that refuses deletions for two minutes',
    left: 0,
    async run(world) {
      await create(world);
      await ready(world);
      world.provider.refused.set('DELETE', 503);
      await resource(world).delete(name);
      // The status reports what the deletion waits for (S0.14). An object that a restore of etcd has brought back from before it was held goes at once.
      await until(
        world,
        'a word about the failure',
        (object) =>
          object === undefined ||
          (object.status?.conditions ?? []).some(({ message }) => message.includes('delete: Unavailable')),
      );
      await world.cluster.advance(120_000);
      world.provider.refused.clear();
      await until(world, 'the end', (object) => object === undefined);
    },
  },
  {
    name: 'refused by its provider from 100 ms after its creation, deleted 1.5 s later',
    left: 0,
    async run(world) {
      await create(world);
      await world.cluster.advance(100);
      // What was asked for before, and may have been made, is not undone by that.
      world.provider.refused.set('POST', 400);
      await world.cluster.advance(1_500);
      await remove(world);
    },
  },
  {
    name: 'refused by its provider for three minutes, then made, a change of it refused for three, deleted',
    left: 0,
    async run(world) {
      world.provider.refused.set('POST', 400);
      await create(world);
      await world.cluster.advance(180_000);
      reported(world);
      world.provider.refused.clear();
      await ready(world);
      world.provider.refused.set('PATCH', 400);
      await resource(world).patch(name, { type: 'merge', body: { spec: { size: 'large' } } });
      await world.cluster.advance(180_000);
      world.provider.refused.clear();
      await reach(world, 'the new size', () => world.provider.present().at(-1)?.fields['size'] === 'large');
      await remove(world);
    },
  },
  {
    name: 'fifty minutes in the making, asked after ever more seldom, deleted',
    left: 0,
    async run(world) {
      await create(world);
      await reach(world, 'a database', () => world.provider.of(ownerOf(world)).length > 0);
      for (const thing of world.provider.present()) thing.readyAt = world.cluster.clock.now() + 3_000_000;
      await ready(world);
      const { GET: asked = 0 } = world.provider.calls;
      if (asked > maxLooks) throw new Standstill(`the provider was asked ${asked} times for one database`);
      await remove(world);
    },
  },
];
