import type { Secret } from 'kubernetes-types/core/v1.js';
import { childMetadata, managedBy } from '../workload/index.ts';
import type { Owner } from '../workload/index.ts';

/** What clients need to connect to a database. Parts that are not known yet are left out. */
export interface Connection {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The login that takes the place of this one, while a rotation is under way. Not for applications: it may not log in yet. */
  readonly nextUsername?: string | undefined;
  readonly nextPassword?: string | undefined;
}

/** The keys of a connection Secret in which the next login waits. */
export const connectionKeys = { nextUsername: 'next-username', nextPassword: 'next-password' } as const;

/** Where a connection Secret goes, and whose it is. */
export interface ConnectionSecretOptions {
  readonly name: string;
  readonly namespace: string;
  /** The CloudDatabase. */
  readonly owner: Owner;
  readonly connection: Connection;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The Secret that applications mount to reach a CloudDatabase: `endpoint` (host and port), `host`, `port`, `database`, `username`, `password`. While a rotation is under way,
 * `next-username` and `next-password` are the operator's own.
 */
export function connectionSecret({
  name,
  namespace,
  owner,
  connection,
  annotations = {},
}: ConnectionSecretOptions): Secret {
  const { host, port, database, username, password, nextUsername, nextPassword } = connection;
  const endpoint = host !== undefined && port !== undefined ? `${host}:${port}` : undefined;
  const next = { [connectionKeys.nextUsername]: nextUsername, [connectionKeys.nextPassword]: nextPassword };
  const entries = Object.entries({ endpoint, host, port: port?.toString(), database, username, password, ...next });
  const labels = {
    'app.kubernetes.io/name': 'cloud-database',
    'app.kubernetes.io/instance': owner.name,
    'app.kubernetes.io/managed-by': managedBy,
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      ...childMetadata({ name, namespace, labels, owner }),
      ...(Object.keys(annotations).length > 0 ? { annotations: { ...annotations } } : {}),
    },
    data: Object.fromEntries(
      entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, Buffer.from(value).toString('base64')]])),
    ),
  };
}
