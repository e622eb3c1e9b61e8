import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiServer, Credentials } from './api-server.ts';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';

/** Where a pod finds its API server. */
export interface InClusterOptions {
  /** The value of `KUBERNETES_SERVICE_HOST`. */
  readonly host: string;
  /** The value of `KUBERNETES_SERVICE_PORT`. */
  readonly port: string;
  /** Where the service account is mounted. */
  readonly directory?: string;
  readonly clock?: Clock;
}

const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';
// The kubelet renews a token when a fifth of its time is left, and it must hold for 10 minutes at least; client-go reads it each minute as well.
const rereadAfterMs = 60_000;

/**
 * The API server of the cluster that this process runs in, with the mounted service account. Token and CA are read again each minute, and as soon
 * as the server refuses the token, as both are rotated under a running pod.
 */
export function inClusterServer(options: InClusterOptions): ApiServer {
  const { host, port, directory = serviceAccountDirectory, clock = systemClock } = options;
  let known: { readonly credentials: Promise<Credentials>; readonly at: number } | undefined;
  const read = async (): Promise<Credentials> => {
    const [token, ca] = await Promise.all([
      readFile(join(directory, 'token'), 'utf8'),
      readFile(join(directory, 'ca.crt'), 'utf8'),
    ]);
    return { headers: { authorization: `Bearer ${token.trim()}` }, tls: { ca } };
  };
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    async credentials() {
      if (known === undefined || clock.now() - known.at >= rereadAfterMs)
        known = { credentials: read(), at: clock.now() };
      const attempt = known;
      try {
        return await attempt.credentials;
      } catch (error) {
        if (known === attempt) known = undefined;
        throw error;
      }
    },
    refresh() {
      known = undefined;
    },
  };
}

/** The namespace that this pod runs in. Rejects where no service account is mounted. */
export async function inClusterNamespace(directory: string = serviceAccountDirectory): Promise<string> {
  return (await readFile(join(directory, 'namespace'), 'utf8')).trim();
}
