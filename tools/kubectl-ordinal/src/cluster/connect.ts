import type { Client, Transport } from '@ordinal/client';
import { createClient, httpTransport } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { parse } from 'yaml';
import { CommandError } from '../failure.ts';
import { version } from '../version.ts';

/** Which cluster, and whose permissions: as for kubectl. */
export interface ConnectionOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Of the environment, what says where the kubeconfig is. */
export type KubeconfigPlace = Readonly<Partial<Record<'KUBECONFIG' | 'HOME' | 'USERPROFILE', string | undefined>>>;

/** A connection with the user's own permissions. */
export interface Connection {
  readonly client: Client;
  /** What the client talks through. */
  readonly transport: Transport;
  /** That of `--namespace`, or of the context. */
  readonly namespace: string;
  /** The API server. */
  readonly url: string;
}

/** The name under which the API server records what this program writes. */
export const fieldManager = 'kubectl-ordinal';

function filesOf(flag: string | undefined, { KUBECONFIG, HOME, USERPROFILE }: KubeconfigPlace): readonly string[] {
  if (flag !== undefined) return [flag];
  const separator = USERPROFILE === undefined || HOME !== undefined ? ':' : ';';
  const named = (KUBECONFIG ?? '').split(separator).filter((file) => file !== '');
  if (named.length > 0) return named;
  const home = HOME ?? USERPROFILE;
  return home === undefined ? [] : [`${home}/.kube/config`];
}

const serverOf = (files: readonly string[], { context }: ConnectionOptions) =>
  kubeconfigServer({ files, ...(context === undefined ? {} : { context }) });

const unusable = (cause: unknown): CommandError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CommandError(`the kubeconfig can't be used: ${why}; give --kubeconfig, or set KUBECONFIG`, undefined, {
    cause,
  });
};

/**
 * The namespace that a command is about which asks no cluster: that of `--namespace`, or of the context, and `default` where there is no kubeconfig. Rejects with a
 * sentence where a kubeconfig or a context is named that can't be used.
 */
export async function namespaceFor(options: ConnectionOptions, place: KubeconfigPlace): Promise<string> {
  const { namespace, context, kubeconfig } = options;
  if (namespace !== undefined) return namespace;
  const isNamed = context !== undefined || kubeconfig !== undefined;
  try {
    return (await serverOf(filesOf(kubeconfig, place), options)).namespace;
  } catch (cause) {
    if (isNamed) throw unusable(cause);
    return 'default';
  }
}

/** The contexts that the kubeconfig has, as far as it can be read. */
export async function contextsIn(
  kubeconfig: string | undefined,
  {
    environment,
    readFile,
  }: { readonly environment: KubeconfigPlace; readonly readFile: (path: string) => Promise<string> },
): Promise<readonly string[]> {
  const read = async (file: string): Promise<readonly string[]> => {
    const config = parse(await readFile(file)) as { readonly contexts?: readonly { readonly name?: unknown }[] } | null; // By its format.
    return (config?.contexts ?? []).flatMap(({ name }) => (typeof name === 'string' ? name : []));
  };
  const found = await Promise.all(filesOf(kubeconfig, environment).map((file) => read(file).catch(() => [])));
  return [...new Set(found.flat())];
}

/** Connects by the kubeconfig that kubectl would use. Rejects with a sentence where there is none that can be used. */
export async function connect(options: ConnectionOptions, place: KubeconfigPlace): Promise<Connection> {
  const { kubeconfig, namespace } = options;
  const files = filesOf(kubeconfig, place);
  if (files.length === 0) throw new CommandError('there is no kubeconfig: give --kubeconfig, or set KUBECONFIG');
  try {
    const server = await serverOf(files, options);
    const transport = httpTransport(server);
    const client = createClient({ transport, fieldManager, userAgent: `kubectl-ordinal/${version}` });
    return { client, transport, namespace: namespace ?? server.namespace, url: server.url };
  } catch (cause) {
    throw unusable(cause);
  }
}
