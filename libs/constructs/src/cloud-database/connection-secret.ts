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
}

/** Where a connection Secret goes, and whose it is. */
export interface ConnectionSecretOptions {
  readonly name: string;
  readonly namespace: string;
  /** The CloudDatabase. */
  readonly owner: Owner;
  readonly connection: Connection;
}

/** The Secret that applications mount to reach a CloudDatabase: `endpoint` (host and port), `host`, `port`, `database`, `username`, `password`. */
export function connectionSecret({ name, namespace, owner, connection }: ConnectionSecretOptions): Secret {
  const { host, port, database, username, password } = connection;
  const endpoint = host !== undefined && port !== undefined ? `${host}:${port}` : undefined;
  const entries = Object.entries({ endpoint, host, port: port?.toString(), database, username, password });
  const labels = {
    'app.kubernetes.io/name': 'cloud-database',
    'app.kubernetes.io/instance': owner.name,
    'app.kubernetes.io/managed-by': managedBy,
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: childMetadata({ name, namespace, labels, owner }),
    data: Object.fromEntries(
      entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, Buffer.from(value).toString('base64')]])),
    ),
  };
}
