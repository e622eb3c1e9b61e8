import { secrets } from '@ordinal/client';
import type { SecretInput } from '@ordinal/client';
import type { DatabaseScenario } from './database-steps.ts';
import { create, name, ready, remove } from './database-steps.ts';
import type { DatabaseWorld } from './database-world.ts';
import { databaseNow } from './database-world.ts';
import { Standstill } from './fault.ts';

const account = 'account';

const inDefault = ({ cluster }: DatabaseWorld) => cluster.client()(secrets).namespace('default');

/** The Secret that says which account of the provider is meant. */
const secret = (means: string, finalizers: readonly string[] = []): SecretInput => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: account, namespace: 'default', finalizers },
  data: { account: btoa(means) },
});

const means = (world: DatabaseWorld, other: string): Promise<unknown> =>
  inDefault(world).patch(account, { type: 'merge', body: { data: { account: btoa(other) } } });

/** What the operator has asked the API server for in vain, of the Secret. */
const refusals = ({ cluster, operator }: DatabaseWorld): readonly string[] =>
  cluster.trace.entries
    .filter(({ actor, subject }) => actor === operator.name && subject === `secrets default/${account}`)
    .flatMap(({ outcome = '' }) => (outcome.startsWith('422') || outcome.startsWith('403') ? [outcome] : []));

/** Databases whose provider account is named by a Secret that people change and delete. */
export const accountScenarios: readonly DatabaseScenario[] = [
  {
    name: 'its Secret means another account for a minute, deleted',
    left: 0,
    async run(world) {
      await inDefault(world).create(secret('one'));
      await create(world, { providerRef: { name: account } });
      await ready(world);
      const { account: first } = databaseNow(world.cluster, name)?.status?.external ?? {};
      await means(world, 'two');
      await world.cluster.advance(60_000);
      const { account: now } = databaseNow(world.cluster, name)?.status?.external ?? {};
      if (now !== first) throw new Standstill(`${now} has taken the place of ${first}, where the database is (I23)`);
      await means(world, 'one');
      await ready(world);
      await remove(world);
    },
  },
  {
    name: 'its Secret about to go when it is created, made anew a minute later, deleted',
    left: 0,
    async run(world) {
      await inDefault(world).create(secret('one', ['example.com/held']));
      await inDefault(world).delete(account);
      await create(world, { providerRef: { name: account } });
      await world.cluster.advance(60_000);
      const [refused] = refusals(world);
      if (refused !== undefined) throw new Standstill(`a Secret that goes was to be kept: ${refused} (I25)`);
      await inDefault(world).patch(account, { type: 'merge', body: { metadata: { finalizers: null } } });
      await world.cluster.advance(1_000);
      await inDefault(world).create(secret('one'));
      await ready(world);
      await remove(world);
    },
  },
];
