import type { ExternalSystem, ExternalView } from '@ordinal/lifecycle';

/** What a provider is asked to make, or (in part) to change. */
export interface DatabaseRequest {
  readonly engine: 'postgres' | 'mysql';
  readonly size: 'small' | 'medium' | 'large';
  /** A name for people: namespace and name of the resource. Not unique. */
  readonly displayName: string;
  /** The administrator of the database. In a change, and where the provider keeps two logins: the one that gets `password` and has no end from then on. */
  readonly username: string;
  readonly password: string;
  /** In a change: a login that ends so long after the first such change reaches the provider. Asked for only where the provider shows `logins`. */
  readonly formerLogin?: { readonly name: string; readonly endsInMs: number };
}

/** A login of a database, as its provider shows it. */
export interface LoginView {
  readonly name: string;
  /** `open`: it has no end. `ending`: it logs in for `endsInMs` yet. `closed`: it may not log in, or was never made. */
  readonly state: 'open' | 'ending' | 'closed';
  /** In milliseconds, by the provider's clock. */
  readonly endsInMs?: number | undefined;
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
  /** The two logins that the provider can keep of this database, the one that it was made with first. Absent where there is one only, whose password can't be rotated without a refused login. */
  readonly logins?: readonly [LoginView, LoginView] | undefined;
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
