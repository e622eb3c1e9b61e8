import { secrets } from '@ordinal/client';
import type { DatabaseWorld } from '../../../libs/reconcilers/test/external/database-world.ts';
import { databaseNow } from '../../../libs/reconcilers/test/external/database-world.ts';
import type { DatabaseScenario } from './database-steps.ts';
import { connection, create, name, reach, ready, remove, resource, works } from './database-steps.ts';

/** As long as the watch over logins expects: see `watchLogins`. */
const overlap = '2m';

const secretNow = ({ cluster }: DatabaseWorld) => cluster.objects.find(secrets, 'default', connection);

const usernameNow = (world: DatabaseWorld): string => atob(secretNow(world)?.data?.['username'] ?? '');

/** Runs until the Secret names this login, and the one before has ended. */
const rotatedTo = async (world: DatabaseWorld, username: string): Promise<void> => {
  await reach(world, `the login ${username}`, () => usernameNow(world) === username);
  await reach(world, 'the end of the login before', () => {
    const logins = [...(world.provider.present().at(-1)?.logins ?? [])];
    const now = world.cluster.clock.now();
    return logins.every(([its, { endsAt }]) => its === usernameNow(world) || (endsAt !== undefined && endsAt <= now));
  });
};

const ask = (world: DatabaseWorld, value: string): Promise<unknown> =>
  resource(world).patch(name, { type: 'merge', body: { metadata: { annotations: { 'ordinal.dev/rotate': value } } } });

/** Databases whose password is rotated, at a provider that keeps two logins of each. */
export const rotationScenarios: readonly DatabaseScenario[] = [
  {
    name: 'its password rotated when that is due, and again when a user asks for it, deleted',
    left: 0,
    async run(world) {
      world.provider.keepsTwoLogins = true;
      await create(world, { rotation: { every: '20m', overlap } });
      await ready(world);
      await reach(world, 'the login ordinal2', () => usernameNow(world) === 'ordinal2');
      // While the former login may still log in.
      await ask(world, 'now');
      await rotatedTo(world, 'ordinal');
      await reach(
        world,
        'the request on record',
        () => databaseNow(world.cluster, name)?.status?.rotation?.token === 'now',
      );
      await works(world);
      await remove(world);
    },
  },
  {
    name: 'deleted 150 ms after a rotation was asked for',
    left: 0,
    async run(world) {
      world.provider.keepsTwoLogins = true;
      await create(world, { rotation: { overlap } });
      await ready(world);
      await ask(world, 'now');
      await world.cluster.advance(150);
      await remove(world);
    },
  },
];
