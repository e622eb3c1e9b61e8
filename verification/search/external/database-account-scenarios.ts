import type { DatabaseScenario } from './database-steps.ts';
import { accountSecret, create, name, reach, ready, remove, resource, secretsOf } from './database-steps.ts';
import type { DatabaseWorld } from '../../../libs/reconcilers/test/external/database-world.ts';
import { databaseNow, otherAccount } from '../../../libs/reconcilers/test/external/database-world.ts';
import { Broken } from '../../../libs/reconcilers/test/external/broken.ts';

const account = 'account';

const setAccount = (world: DatabaseWorld, other: string): Promise<unknown> =>
  secretsOf(world).patch(account, { type: 'merge', body: { data: { account: btoa(other) } } });

/** What the operator has asked the API server for in vain, of the Secret. */
const refusals = ({ cluster, operator }: DatabaseWorld): readonly string[] =>
  cluster.trace.entries
    .filter(({ actor, subject }) => actor === operator.name && subject === `secrets default/${account}`)
    .flatMap(({ outcome = '' }) => (outcome.startsWith('422') || outcome.startsWith('403') ? [outcome] : []));

/** Says that the account which the Secret describes is the one where the database was made. */
const follow = (world: DatabaseWorld, to: string): Promise<unknown> => {
  const annotations = { 'ordinal.dev/follow-account': to };
  return resource(world).patch(name, { type: 'merge', body: { metadata: { annotations } } });
};

/** The account where the database is, as the status remembers it. */
const recordedNow = ({ cluster }: DatabaseWorld): string | undefined =>
  databaseNow(cluster, name)?.status?.external?.account;

const isGone = ({ cluster }: DatabaseWorld): boolean => databaseNow(cluster, name) === undefined;

/** Whether the status says that at the account to follow nothing of this object is found. */
const isRefused = ({ cluster }: DatabaseWorld): boolean =>
  databaseNow(cluster, name)?.status?.conditions?.some(
    ({ message }) => message?.includes('no database with this') === true,
  ) === true;

/** Databases whose provider account is named by a Secret that people change and delete. */
export const accountScenarios: readonly DatabaseScenario[] = [
  {
    name: 'its Secret means another account for a minute, deleted',
    left: 0,
    async run(world) {
      await secretsOf(world).create(accountSecret(account, { means: 'one' }));
      await create(world, { providerRef: { name: account } });
      await ready(world);
      const { account: first } = databaseNow(world.cluster, name)?.status?.external ?? {};
      await setAccount(world, 'two');
      await world.cluster.advance(60_000);
      const { account: now } = databaseNow(world.cluster, name)?.status?.external ?? {};
      if (now !== first) throw new Broken('I23', `${now} has taken the place of ${first}, where the database is`);
      await setAccount(world, 'one');
      await ready(world);
      await remove(world);
    },
  },
  {
    name: 'its account renamed and followed, resized there, deleted',
    left: 0,
    isUnrepeatable: true,
    async run(world) {
      await secretsOf(world).create(accountSecret(account, { means: 'one' }));
      await create(world, { providerRef: { name: account } });
      await ready(world);
      await setAccount(world, 'two');
      await follow(world, 'two');
      await reach(world, 'the new name in the status', () => recordedNow(world) === 'two');
      await resource(world).patch(name, { type: 'merge', body: { spec: { size: 'large' } } });
      await reach(world, 'the new size', () => world.provider.present().at(-1)?.fields['size'] === 'large');
      await remove(world);
    },
  },
  {
    name: 'its account renamed while it is made, followed in the deletion',
    left: 0,
    isUnrepeatable: true,
    async run(world) {
      await secretsOf(world).create(accountSecret(account, { means: 'one' }));
      await create(world, { providerRef: { name: account } });
      await world.cluster.advance(1_500);
      await setAccount(world, 'two');
      await world.cluster.advance(60_000);
      await resource(world).delete(name);
      await world.cluster.advance(60_000);
      // Where faults have let nothing be made before the rename, it has gone by itself.
      if (databaseNow(world.cluster, name) !== undefined) await follow(world, 'two');
      await reach(world, 'the end, or a refusal', () => isGone(world) || isRefused(world));
      // Of what was announced and never made, nothing is found there: the user does what the status asks for.
      if (!isGone(world)) await setAccount(world, 'one');
      await reach(world, 'the end', () => isGone(world));
    },
  },
  {
    name: 'another provider called its account for a minute, whatever the object says, deleted',
    left: 0,
    async run(world) {
      await secretsOf(world).create(accountSecret(account, { means: 'one' }));
      await create(world, { providerRef: { name: account } });
      await ready(world);
      await setAccount(world, otherAccount);
      await follow(world, otherAccount);
      await world.cluster.advance(60_000);
      if (recordedNow(world) !== 'one')
        throw new Broken('I23', `the database was made at one, not ${recordedNow(world)}`);
      const changes = Object.keys(world.other.calls).filter((method) => method !== 'GET');
      if (changes.length > 0) throw new Broken('I23', `a provider that has no such database met ${changes.join(', ')}`);
      await setAccount(world, 'one');
      await ready(world);
      await remove(world);
    },
  },
  {
    name: 'its Secret about to go when it is created, made anew a minute later, deleted',
    left: 0,
    async run(world) {
      await secretsOf(world).create(accountSecret(account, { means: 'one', finalizers: ['example.com/held'] }));
      await secretsOf(world).delete(account);
      await create(world, { providerRef: { name: account } });
      await world.cluster.advance(60_000);
      const [refused] = refusals(world);
      if (refused !== undefined) throw new Broken('I25', `a Secret that goes was to be kept: ${refused}`);
      await secretsOf(world).patch(account, { type: 'merge', body: { metadata: { finalizers: null } } });
      await world.cluster.advance(1_000);
      await secretsOf(world).create(accountSecret(account, { means: 'one' }));
      await ready(world);
      await remove(world);
    },
  },
];
