import { isIPv6 } from 'node:net';
import { checkEndpoint } from '@ordinal/lifecycle';
import { onDemand } from '../on-demand.ts';
import type { ProviderEnvironment, ProviderKind } from '../provider-kind.ts';
import { refused, required } from '../provider-kind.ts';
import type { PostgresServerOptions } from './postgres.ts';

/** A database's name follows from the token, and it is seen as soon as it is there. */
const traits = { repeatedCreate: 'returnsFirst', settleMs: 1_000 } as const;

/** Databases on a PostgreSQL server. */
export const postgresProvider = ({
  policy,
  lookup,
  callTimeoutMs,
}: Pick<ProviderEnvironment, 'policy' | 'lookup' | 'callTimeoutMs'>): ProviderKind => ({
  identity: ['host', 'port', 'username'],
  credentials: ['host', 'port', 'username', 'password'],
  open: ['database', 'sslMode'],
  create: (description) => {
    const host = required(description, 'host');
    // A host that begins with a slash would be a Unix socket of the operator's own container.
    if (!/^[\w.:-]+$/.test(host)) throw refused(`the host ${JSON.stringify(host)} is neither a name nor an address`);
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
    return onDemand({ ...traits, callTimeoutMs }, async () => (await import('./postgres.ts')).postgresServer(server));
  },
});
