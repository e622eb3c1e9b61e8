import { ExternalError } from '@ordinal/lifecycle';
import type { EndpointPolicy } from '@ordinal/lifecycle';
import type { DatabaseSystem } from '@ordinal/reconcilers';
import type { Exchange } from './http/exchange.ts';
import type { checkedLookup } from './network/checked-lookup.ts';

/** A provider Secret's values. */
export type ProviderDescription = Readonly<Record<string, string>>;

/** Makes a provider of one kind from a description. */
export interface ProviderKind {
  /** The parts of the description that make an account: no secrets. */
  readonly identity: readonly string[];
  /** The parts that the provider judges a call by: where it goes, and as whom. */
  readonly credentials: readonly string[];
  /** More parts that are no secrets. What is named nowhere here is one, and is taken out of what the provider says. */
  readonly open: readonly string[];
  /** Throws an `ExternalError` with code `Refused` where something is missing. */
  create(description: ProviderDescription): DatabaseSystem;
}

/** What a kind of providers reaches the network with. */
export interface ProviderEnvironment {
  readonly exchange: Exchange;
  readonly policy: EndpointPolicy;
  /** Gives a name's addresses, which are checked against the policy. */
  readonly lookup: ReturnType<typeof checkedLookup>;
  readonly callTimeoutMs: number;
}

/** The error of a description that can't be used: nothing was called. */
export const refused = (message: string): ExternalError => new ExternalError('Refused', message, { applied: 'no' });

/** A value that the description must have. Throws an `ExternalError` with code `Refused` where it is missing. */
export function required(description: ProviderDescription, key: string): string {
  const value = description[key];
  if (value === undefined || value === '') throw refused(`the provider Secret has no ${key}`);
  return value;
}
