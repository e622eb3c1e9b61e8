import { createClient, httpTransport, inClusterNamespace, inClusterServer } from '@ordinal/client';
import type { ApiServer, Client, ClientMetrics, Transport } from '@ordinal/client';

/** What shows where the API server is. */
export interface ConnectionOptions {
  /** Empty: the pod's service account, or else the usual kubeconfig files. */
  readonly kubeconfig: string;
  readonly context: string;
  /** Of the environment, what says where the cluster is. */
  readonly environment: Readonly<
    Record<'KUBERNETES_SERVICE_HOST' | 'KUBERNETES_SERVICE_PORT' | 'KUBECONFIG' | 'HOME', string | undefined>
  >;
}

/** An API server, and the namespace that belongs to the credentials. */
export interface Target {
  readonly server: ApiServer;
  readonly namespace: string;
}

/**
 * Finds the API server. The kubeconfig loader is read from disk only where a kubeconfig is used: in a pod it is never loaded.
 * Rejects with a sentence where there is neither a service account nor a kubeconfig.
 */
export async function findServer({ kubeconfig, context, environment }: ConnectionOptions): Promise<Target> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443', KUBECONFIG, HOME } = environment;
  if (kubeconfig === '' && context === '' && host !== undefined) {
    return { server: inClusterServer({ host, port }), namespace: await inClusterNamespace() };
  }
  const files = filesOf(kubeconfig, KUBECONFIG, HOME);
  if (files.length === 0)
    throw new Error('there is no API server to connect to: give --kubeconfig, set KUBECONFIG, or run in a pod');
  const { kubeconfigServer } = await import('@ordinal/client/kubeconfig');
  try {
    const server = await kubeconfigServer({ files, ...(context === '' ? {} : { context }) });
    return { server, namespace: server.namespace };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`no API server to connect to: ${why}; give --kubeconfig, set KUBECONFIG, or run in a pod`, {
      cause,
    });
  }
}

function filesOf(flag: string, variable: string | undefined, home: string | undefined): readonly string[] {
  if (flag !== '') return [flag];
  if (variable !== undefined && variable !== '') return variable.split(':').filter((file) => file !== '');
  return home === undefined ? [] : [`${home}/.kube/config`];
}

/** A client and the transport that is its own. */
export interface Connection {
  readonly client: Client;
  readonly transport: Transport;
}

/** Connects. Each connection has sockets of its own, so that a lease never waits behind work. */
export function connect(
  server: ApiServer,
  {
    through = (transport) => transport,
    ...options
  }: {
    readonly userAgent: string;
    readonly metrics?: ClientMetrics;
    /** What requests pass on their way, such as a recorder. */
    readonly through?: (transport: Transport) => Transport;
  },
): Connection {
  const transport = through(httpTransport(server));
  return { transport, client: createClient({ transport, fieldManager: 'ordinal-operator', ...options }) };
}
