import { readFile } from 'node:fs/promises';
import type { ApiServer } from '@ordinal/client';
import { parse } from 'yaml';

interface Kubeconfig {
  readonly 'current-context': string;
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly clusters: readonly { readonly name: string; readonly cluster: Cluster }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token?: string } }[];
}

interface Cluster {
  readonly server: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority-data'?: string;
}

/**
 * The API server of a kubeconfig with a token, read without `@kubernetes/client-node`: an operator in its pod does not load it either, and this is
 * measured as such an operator.
 */
export async function tokenServer(file: string): Promise<ApiServer> {
  const config = parse(await readFile(file, 'utf8')) as Kubeconfig;
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const token = config.users.find(({ name }) => name === context?.user)?.user.token;
  if (cluster === undefined || token === undefined)
    throw new Error(`${file}: the benchmark needs a cluster and a user with a token`);
  const authority = cluster['certificate-authority-data'];
  const credentials = {
    headers: { authorization: `Bearer ${token}` },
    tls: {
      ...(authority !== undefined && { ca: Buffer.from(authority, 'base64').toString('utf8') }),
      rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
    },
  };
  return { url: cluster.server, credentials: () => Promise.resolve(credentials), refresh: () => undefined };
}
