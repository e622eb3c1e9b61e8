import type { ExternalSystem, ExternalView } from '@ordinal/lifecycle';

/** What a provider is asked to make, or (in part) to change. */
export interface DatabaseRequest {
  readonly engine: 'postgres' | 'mysql';
  readonly size: 'small' | 'medium' | 'large';
  /** A name for people: namespace and name of the resource. Not unique. */
  readonly displayName: string;
  /** The administrator of the database. */
  readonly username: string;
  readonly password: string;
}

/** A database as its provider shows it. What a provider does not tell is left out. */
export interface DatabaseView extends ExternalView {
  readonly engine?: string | undefined;
  /** Undefined, or a word of the provider's own, where the instance has none of our sizes. */
  readonly size?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The name of the database to connect to. */
  readonly database?: string | undefined;
  readonly username?: string | undefined;
}

/** A provider of databases. */
export type DatabaseSystem = ExternalSystem<DatabaseRequest, DatabaseView>;

/** One account at one provider. */
export interface DatabaseAccount {
  /** Provider, place and user, without secrets: equal for all Secrets that mean the same account. */
  readonly account: string;
  readonly system: DatabaseSystem;
}

/**
 * Gives the accounts. The operator builds it from its adapters; adapters, rate limits and connections are kept by account, so that all resources of an
 * account share them.
 */
export interface DatabaseProviders {
  /**
   * The account that a provider Secret describes (its values decoded), or the operator's default one for `undefined`. `namespace` is the Secret's.
   *
   * @throws ExternalError with code `Refused` where the description is not complete or there is no default account. Its `retryAfterMs` says when a database looks again;
   * without one that takes about ten minutes.
   */
  resolve(description: Readonly<Record<string, string>> | undefined, namespace?: string): DatabaseAccount;
}
