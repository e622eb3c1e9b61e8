import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase, CloudDatabaseInput } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import type { SecretInput } from '@ordinal/client';
import type { DatabaseWorld } from '../../../libs/reconcilers/test/external/database-world.ts';
import { database, databaseNow } from '../../../libs/reconcilers/test/external/database-world.ts';
import { Standstill } from '../../../libs/reconcilers/test/external/broken.ts';
import { maxCalls } from '../../../libs/reconcilers/test/external/fake-provider.ts';

/** What happens to one CloudDatabase, and what must be left at the provider afterwards. */
export interface DatabaseScenario {
  readonly name: string;
  /** How many databases stay at the provider when all is over. */
  readonly left: number;
  /** How many final snapshots have been taken. Default: none. */
  readonly snapshots?: number;
  /** Whether the API server checks the rules of the CRD. */
  readonly rules?: boolean;
  /** Whether the provider shows what it has from the beginning, whatever faults there are: without it this can't be known. */
  readonly isShown?: boolean;
  /** What a user does in it counts at one time only, or rests on a database that is gone then, and is not to be asked for again: etcd is not restored. */
  readonly isUnrepeatable?: boolean;
  /** Another client writes the status: what stands in it is no promise. */
  readonly isForged?: boolean;
  run(world: DatabaseWorld): Promise<void>;
}

/** The CloudDatabase of every scenario. */
export const name = 'orders';
/** The client of it. */
export const resource = ({ cluster }: DatabaseWorld) => cluster.client()(cloudDatabases).namespace('default');

/** The Secret that applications connect with. */
export const connection = `${name}-connection`;

/** The client of Secrets. */
export const secretsOf = ({ cluster }: DatabaseWorld) => cluster.client()(secrets).namespace('default');

/** A Secret that says which account of the provider is meant: by default the only one there is. */
export const accountSecret = (
  its: string,
  { means = 'test', finalizers = [] }: { readonly means?: string; readonly finalizers?: readonly string[] } = {},
): SecretInput => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: its, namespace: 'default', finalizers },
  data: { account: btoa(means) },
});

/** Runs until something holds. Throws a `Standstill` when an hour was not enough, or when the provider is asked without a pause. */
export const reach = async (
  { cluster, provider }: DatabaseWorld,
  what: string,
  holds: () => boolean,
): Promise<void> => {
  const isPestered = (): boolean => provider.busiest > maxCalls;
  const outcome = await cluster.run({ until: () => isPestered() || holds(), maxVirtualMs: 3_600_000 });
  if (isPestered()) throw new Standstill(`the provider is asked without a pause, and ${what} has not come`);
  if (outcome !== 'reached') throw new Standstill(`an hour has passed, and ${what} has not come`);
};

/** Runs until something holds of the CloudDatabase. */
export const until = (
  world: DatabaseWorld,
  what: string,
  holds: (object: CloudDatabase | undefined) => boolean,
): Promise<void> => reach(world, what, () => holds(databaseNow(world.cluster, name)));

/** Runs until the database can be used. */
export const ready = (world: DatabaseWorld): Promise<void> =>
  until(world, 'Ready', (object) => object?.status?.phase === 'Ready');

/** Deletes the object, and runs until it is gone. */
export const remove = async (world: DatabaseWorld): Promise<void> => {
  await resource(world).delete(name);
  await until(world, 'the end', (object) => object === undefined);
};

/** Creates the object. */
export const create = async (world: DatabaseWorld, spec: Partial<CloudDatabaseInput['spec']> = {}): Promise<void> => {
  await resource(world).create(database(name, spec));
};

/** Waits until applications can use the database with what the Secret says. */
export const works = (world: DatabaseWorld): Promise<void> =>
  reach(world, 'a connection that works', () => {
    const data = world.cluster.objects.find(secrets, 'default', connection)?.data ?? {};
    const there = world.provider.present().find(({ id }) => `${id}.db.example` === atob(data['host'] ?? ''));
    const login = { username: atob(data['username'] ?? ''), password: atob(data['password'] ?? '') };
    return there !== undefined && world.provider.loginOf(there, login) !== undefined;
  });

/** That the provider fails shows in the status and in an event by now. */
export const reported = ({ cluster, events }: DatabaseWorld): void => {
  const synced = databaseNow(cluster, name)?.status?.conditions?.find(({ type }) => type === 'Synced');
  if (synced?.status !== 'False' || synced.reason !== 'CallFailed')
    throw new Standstill(`the provider fails, and Synced is ${synced?.status ?? 'absent'}, ${synced?.reason ?? ''}`);
  if (!events.some(({ reason }) => reason === 'ProcessingError'))
    throw new Standstill('the provider fails without an event');
};
