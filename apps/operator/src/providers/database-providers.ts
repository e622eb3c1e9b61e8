import { isIPv6 } from 'node:net';
import type { EndpointPolicy, RateLimit } from '@ordinal/lifecycle';
import { checkEndpoint, ExternalError, rateLimited } from '@ordinal/lifecycle';
import type { DatabaseAccount, DatabaseProviders, DatabaseSystem } from '@ordinal/reconcilers';
import type { Clock } from '@ordinal/client';
import { Budgets } from './budgets.ts';
import { redacting } from './redact.ts';
import { cloudApi } from './http/cloud-api.ts';
import type { Exchange } from './http/exchange.ts';
import { checkedLookup } from './network/checked-lookup.ts';
import type { Resolve } from './network/checked-lookup.ts';
import { onDemand, postgresTraits, rdsTraits } from './on-demand.ts';
import type { PostgresServerOptions } from './postgres/postgres.ts';
import type { RdsOptions } from './rds/rds.ts';

/** A provider Secret's values. */
export type ProviderDescription = Readonly<Record<string, string>>;

/** Makes a provider of one kind from a description. */
interface ProviderKind {
  /** The parts of the description that make an account: no secrets. */
  readonly identity: readonly string[];
  /** The parts that the provider judges a call by: where it goes, and as whom. */
  readonly credentials: readonly string[];
  /** Throws an `ExternalError` with code `Refused` where something is missing. */
  create(description: ProviderDescription): DatabaseSystem;
}

/** What the providers share. */
export interface DatabaseProvidersOptions {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly policy: EndpointPolicy;
  /** Gives a name's addresses, which are then checked; the system's resolver by default. The exchange has its own. */
  readonly resolve?: Resolve;
  readonly callTimeoutMs: number;
  /** For each account, whatever number of resources use it. */
  readonly rateLimit: RateLimit;
  /** The account of databases without a providerRef, as it is now. Throws an `ExternalError` where it can't be had. */
  readonly defaultAccount?: () => ProviderDescription | undefined;
  /** More kinds of providers, by the value of `provider` in the Secret. */
  readonly kinds?: Readonly<Record<string, ProviderKind>>;
}

/**
 * The provider accounts that Secrets describe. Rate limits are kept by credentials that the provider has accepted (`Budgets`); a namespace's adapter of an account is made anew when anything in
 * the description changes.
 */
export function databaseProviders(options: DatabaseProvidersOptions): DatabaseProviders {
  const kinds = { ...builtInKinds(options), ...options.kinds };
  const budgets = new Budgets(options.clock, options.rateLimit);
  const adapters = new Map<string, { readonly description: string; readonly system: DatabaseSystem }>();
  return {
    resolve(given, namespace = ''): DatabaseAccount {
      const description = given ?? options.defaultAccount?.();
      if (description === undefined)
        throw refused('there is no default provider account: name a Secret in spec.providerRef');
      const kind = kinds[description['provider'] ?? ''];
      if (kind === undefined) {
        throw refused(
          `the provider is ${JSON.stringify(description['provider'])}: it must be one of ${Object.keys(kinds).join(', ')}`,
        );
      }
      const account = [description['provider'], ...kind.identity.map((key) => description[key] ?? '')].join(' ').trim();
      const text = JSON.stringify(description);
      const place = `${namespace} ${account}`;
      const known = adapters.get(place);
      if (known?.description === text) return { account, system: known.system };
      const budget = budgets.of(credentialsOf(kind, description), namespace);
      const system = rateLimited(redacting(kind.create(description), secretsOf(kind, description)), budget);
      adapters.set(place, { description: text, system });
      return { account, system };
    },
  };
}

/** What the provider judges a call by: where it goes and its secrets, and no name that only the Secret states. */
const credentialsOf = (kind: ProviderKind, description: ProviderDescription): readonly string[] => {
  const keys = Object.keys(description).filter((key) => key === 'provider' || kind.credentials.includes(key));
  return keys.sort().map((key) => `${key}=${description[key] ?? ''}`);
};

/** Everything in the description that tells neither what kind of provider it is nor where. */
const secretsOf = ({ identity }: ProviderKind, description: ProviderDescription): readonly string[] =>
  Object.entries(description).flatMap(([key, value]) => (open.has(key) || identity.includes(key) ? [] : [value]));

const open: ReadonlySet<string> = new Set(['provider', 'database', 'sslMode', 'idempotency', 'settleSeconds']);

const refused = (message: string): ExternalError => new ExternalError('Refused', message, { applied: 'no' });

function required(description: ProviderDescription, key: string): string {
  const value = description[key];
  if (value === undefined || value === '') throw refused(`the provider Secret has no ${key}`);
  return value;
}

function builtInKinds({
  exchange,
  policy,
  resolve,
  callTimeoutMs,
}: DatabaseProvidersOptions): Readonly<Record<string, ProviderKind>> {
  const lookup = checkedLookup(policy, resolve);
  return {
    http: {
      identity: ['endpoint', 'account'],
      credentials: ['endpoint', 'token'],
      create: (description) => {
        const endpoint = required(description, 'endpoint');
        checkEndpoint(endpoint, policy);
        const settleMs = Number(description['settleSeconds'] ?? 10) * 1_000;
        const idempotency = description['idempotency'] !== 'false';
        return cloudApi(
          { endpoint, token: required(description, 'token'), idempotency, settleMs, callTimeoutMs },
          exchange,
        );
      },
    },
    postgres: {
      identity: ['host', 'port', 'username'],
      credentials: ['host', 'port', 'username', 'password'],
      create: (description) => {
        const host = required(description, 'host');
        // A host that begins with a slash would be a Unix socket of the operator's own container.
        if (!/^[\w.:-]+$/.test(host))
          throw refused(`the host ${JSON.stringify(host)} is neither a name nor an address`);
        checkEndpoint(`https://${isIPv6(host) ? `[${host}]` : host}`, policy);
        const server: PostgresServerOptions = {
          host,
          port: Number(description['port'] ?? 5432),
          username: required(description, 'username'),
          password: required(description, 'password'),
          database: description['database'] ?? 'postgres',
          sslMode: description['sslMode'] === 'disable' ? 'disable' : 'verify-full',
          lookup,
          callTimeoutMs,
        };
        return onDemand(postgresTraits(callTimeoutMs), async () =>
          (await import('./postgres/postgres.ts')).postgresServer(server),
        );
      },
    },
    rds: {
      identity: ['region', 'accessKeyId', 'endpoint'],
      credentials: ['region', 'endpoint', 'accessKeyId', 'secretAccessKey', 'sessionToken'],
      create: (description) => {
        const { endpoint } = description;
        if (endpoint !== undefined) checkEndpoint(endpoint, policy);
        const account: RdsOptions = {
          region: required(description, 'region'),
          accessKeyId: required(description, 'accessKeyId'),
          secretAccessKey: required(description, 'secretAccessKey'),
          sessionToken: description['sessionToken'],
          endpoint,
          lookup,
          callTimeoutMs,
          settleMs: Number(description['settleSeconds'] ?? 60) * 1_000,
        };
        return onDemand(rdsTraits(account), async () => (await import('./rds/rds.ts')).rds(account));
      },
    },
  };
}
