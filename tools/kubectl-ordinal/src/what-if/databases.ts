import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import type { Instant, KubernetesObject } from '@ordinal/client';
import { conditionOf, timestamp } from '@ordinal/client';
import { ExternalError, inUseFinalizer } from '@ordinal/lifecycle';
import { connectionSecret } from '@ordinal/constructs';
import { administrator, connectionSecretName, passwordDigest, rotationOnSchedule } from '@ordinal/reconcilers';
import type { DatabaseProviders, DatabaseRequest, DatabaseSystem, DatabaseView, LoginView } from '@ordinal/reconcilers';
import type { OrdinalResource } from '../kinds.ts';
import type { Behaviour } from './behaviour.ts';
import type { KnownFailure } from './failures.ts';
import { failureSaidBy, isOutage } from './failures.ts';

/** A provider of databases as it is played: what a Secret in the namespace describes, or the operator's own default. */
export interface KnownProvider {
  /** The Secret that `spec.providerRef` names; empty for the default one. */
  readonly secret: string;
  /** The account's name, as statuses have it on record. */
  readonly account: string;
  /** How calls of it fail, where they do. */
  readonly failure?: KnownFailure | undefined;
}

const secretOf = ({ spec }: CloudDatabase): string => spec.providerRef?.name ?? '';

/** What a user says of the provider of a database. */
export const saidOfProvider = (database: CloudDatabase, { providers }: Pick<Behaviour, 'providers'>) =>
  providers[nameOf({ secret: secretOf(database) })] ?? providers['*'];

/** What a user calls a provider. */
const nameOf = ({ secret }: Pick<KnownProvider, 'secret'>): string => (secret === '' ? 'default' : secret);

/** The providers of these databases, and whether each answers: as the user says, or as the statuses of its databases say. None is asked. Pure. */
export function knownProviders(
  databases: readonly CloudDatabase[],
  { providers }: Pick<Behaviour, 'providers'>,
): readonly KnownProvider[] {
  const secrets = [...new Set(databases.map(secretOf))];
  return secrets.map((secret) => {
    const kept = databases.filter((database) => secretOf(database) === secret);
    const account =
      kept.flatMap(({ status }) => status?.external?.account ?? [])[0] ?? `provider ${nameOf({ secret })}`;
    const said = providers[nameOf({ secret })] ?? providers['*'];
    if (said === 'answers') return { secret, account };
    const seen = kept.flatMap((database) => failureSaidBy(database) ?? []).find(isOutage);
    if (said === undefined) return { secret, account, failure: seen };
    const down = { code: 'Unreachable', message: 'it does not answer', by: '--members-behave' } as const;
    return { secret, account, failure: seen ?? down };
  });
}

/** The logins of a database whose rotation is on schedule: its provider keeps two. */
function loginsOf({ status }: CloudDatabase): DatabaseView['logins'] {
  if (conditionOf(status?.conditions, rotationOnSchedule)?.status !== 'True') return undefined;
  return [
    { name: administrator, state: 'open' },
    { name: `${administrator}-2`, state: 'closed' },
  ];
}

/** The logins after a change of them: a former one ends at once. */
function changedLogins(
  logins: DatabaseView['logins'],
  { username, formerLogin }: Partial<DatabaseRequest>,
): DatabaseView['logins'] {
  const after = (login: LoginView): LoginView => {
    if (login.name === username) return { name: login.name, state: 'open' };
    return login.name === formerLogin?.name ? { name: login.name, state: 'closed' } : login;
  };
  return logins && [after(logins[0]), after(logins[1])];
}

/** A database as its status has it on record. */
function viewOf(database: CloudDatabase): readonly DatabaseView[] {
  const { metadata, spec, status } = database;
  const { external, instanceId = external?.id, size = spec.size, endpoint = '' } = status ?? {};
  if (external === undefined || instanceId === undefined || external.absentSince !== undefined) return [];
  const [, host, port] = /^(.*):(\d+)$/.exec(endpoint) ?? [];
  return [
    {
      ...{ id: instanceId, owner: metadata.uid, token: external.token, engine: spec.engine, size },
      logins: loginsOf(database),
      ...{ state: external.deleteRequestedAt === undefined ? 'ready' : 'deleting', host, port: Number(port ?? 5432) },
    },
  ];
}

/** What a service outside does not do for an object, by the object's UID. */
export type Refusals = ReadonlyMap<string, KnownFailure>;

/** The databases of a simulated world: they are as the statuses have on record, and what is asked of them is done at once. */
export class AssumedDatabases {
  readonly #views = new Map<string, DatabaseView>();
  readonly #providers: readonly KnownProvider[];
  readonly #refusals: Refusals;

  /** `refusals`: what is not done for an object, by its UID; absent: all is done. */
  constructor(
    databases: readonly CloudDatabase[],
    providers: readonly KnownProvider[],
    refusals: Refusals = new Map(),
  ) {
    this.#providers = providers;
    this.#refusals = refusals;
    for (const view of databases.flatMap(viewOf)) if (view.state === 'ready') this.#views.set(view.id, view);
  }

  /** The accounts, by the names that the assumed Secrets hold. */
  readonly accounts: DatabaseProviders = {
    resolve: (description) => {
      const provider = this.#providers.find(({ secret }) => secret === (description?.[providerKey] ?? ''));
      return { account: provider?.account ?? 'default', system: this.#system(provider?.failure) };
    },
  };

  #system(failure: KnownProvider['failure']): DatabaseSystem {
    const views = this.#views;
    const answer = <T>(does: () => T, owner?: string): Promise<T> => {
      const fails = failure ?? (owner === undefined ? undefined : this.#refusals.get(owner));
      return fails ? Promise.reject(new ExternalError(fails.code, fails.message)) : Promise.resolve(does());
    };
    return {
      traits: { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 },
      get: (id) => answer(() => views.get(id)),
      findByOwner: (owner) => answer(() => [...views.values()].filter((view) => view.owner === owner)),
      findByName: (name) => answer(() => views.get(name) ?? { id: name, state: 'ready' as const }),
      create: ({ token, owner, desired: { engine, size } }) =>
        answer(() => {
          const first = [...views.values()].find((view) => view.token === token);
          const view = first ?? { id: `assumed-${token}`, owner, token, engine, size, ...made };
          views.set(view.id, view);
          return view;
        }, owner),
      update: (id, change) =>
        answer(() => {
          const view = views.get(id);
          if (view)
            views.set(id, { ...view, size: change.size ?? view.size, logins: changedLogins(view.logins, change) });
        }, views.get(id)?.owner),
      delete: ({ id }) => answer(() => void views.delete(id)),
    };
  }
}

const made = { state: 'ready', host: 'assumed.example.com', port: 5432 } as const;
const providerKey = 'assumed-provider';
const password = 'not read';

/** A database whose Secret is not read: the password that is taken for its own is the one that it has. Others are as they are. Pure. */
export function withAssumedPassword(resource: OrdinalResource): OrdinalResource {
  if (resource.kind !== 'CloudDatabase') return resource;
  const { status } = resource;
  if (status?.external?.passwordDigest === undefined) return resource;
  return {
    ...resource,
    status: { ...status, external: { ...status.external, passwordDigest: passwordDigest(password) } },
  };
}

/** The Secret with the connection of a database that is there, as the operator writes it. */
function assumedConnection(database: CloudDatabase, at: Instant): KubernetesObject {
  const { apiVersion, kind, metadata } = database;
  const { name, uid, namespace = '' } = metadata;
  const [view] = viewOf(database);
  const place = { name: connectionSecretName(database), namespace };
  const connection = { host: view?.host, port: view?.port, username: administrator, password };
  // Builders write the published types: what is left out of them is made up as for any object that was not read.
  const secret = connectionSecret({
    ...place,
    owner: { apiVersion, kind, name, uid, namespace },
    connection,
  }) as object;
  const { metadata: labelled } = secret as Pick<KubernetesObject, 'metadata'>;
  const own = { uid: `assumed-Secret-${place.name}`, resourceVersion: '0', creationTimestamp: timestamp(at) };
  return { apiVersion: 'v1', kind: 'Secret', ...secret, metadata: { ...labelled, ...own } };
}

/** What is taken for the Secrets of databases: those that describe providers, and those that hold the connections of databases that are there. Pure. */
export function assumedSecrets(
  databases: readonly CloudDatabase[],
  { at, namespace }: { readonly at: Instant; readonly namespace: string },
): readonly KubernetesObject[] {
  const secret = (name: string, more: object, data: Readonly<Record<string, string>>) => ({
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { name, namespace, uid: `assumed-Secret-${name}`, resourceVersion: '0', creationTimestamp: timestamp(at), ...more }, // prettier-ignore
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  });
  const named = new Set(databases.map(secretOf).filter((name) => name !== ''));
  return [
    ...[...named].map((name) =>
      secret(name, { finalizers: [inUseFinalizer(cloudDatabases)] }, { [providerKey]: name }),
    ),
    ...databases
      .filter(({ status }) => status?.external?.passwordDigest !== undefined)
      .map((database) => assumedConnection(database, at)),
  ];
}

/** What a prediction rests on, of the providers of these databases. Pure. */
export const providerNotes = (
  providers: readonly KnownProvider[],
  databases: readonly CloudDatabase[],
): readonly string[] =>
  providers
    .filter(({ secret }) => databases.some((database) => secretOf(database) === secret))
    .map(({ secret, failure }) =>
      failure
        ? `the provider ${nameOf({ secret })} does not answer (${failure.code}): ${failure.by} says so`
        : `the provider ${nameOf({ secret })} is not asked: it has what statuses say, and does at once what it is asked`,
    );
