import type { EndpointPolicy, RateLimit } from '@ordinal/lifecycle';
import { rateLimited } from '@ordinal/lifecycle';
import type { DatabaseAccount, DatabaseProviders, DatabaseSystem } from '@ordinal/reconcilers';
import type { Clock } from '@ordinal/client';
import { Budgets } from './budgets.ts';
import type { Exchange } from './http/exchange.ts';
import { httpProvider } from './http/provider.ts';
import { checkedLookup } from './network/checked-lookup.ts';
import type { Resolve } from './network/checked-lookup.ts';
import { postgresProvider } from './postgres/provider.ts';
import { refused } from './provider-kind.ts';
import type { ProviderDescription, ProviderKind } from './provider-kind.ts';
import { rdsProvider } from './rds/provider.ts';
import { redacting } from './redact.ts';

export type { ProviderDescription } from './provider-kind.ts';

/** The kinds of providers, by the value of `provider` in the Secret. */
const builtInKinds = { http: httpProvider, postgres: postgresProvider, rds: rdsProvider };

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
 * The provider accounts that Secrets describe. Rate limits are kept by credentials that the provider has accepted (`Budgets`); a namespace's adapter of an account is made again when anything in
 * the description changes.
 */
export function databaseProviders(options: DatabaseProvidersOptions): DatabaseProviders {
  const environment = { ...options, lookup: checkedLookup(options.policy, options.resolve) };
  const builtIn = Object.entries(builtInKinds).map(([name, kindOf]) => [name, kindOf(environment)] as const);
  const kinds: Readonly<Record<string, ProviderKind>> = { ...Object.fromEntries(builtIn), ...options.kinds };
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

/** Everything in the description that shows neither what kind of provider it is nor where. */
const secretsOf = ({ identity, open }: ProviderKind, description: ProviderDescription): readonly string[] => {
  const shown = new Set(['provider', ...identity, ...open]);
  return Object.entries(description).flatMap(([key, value]) => (shown.has(key) ? [] : [value]));
};
