import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ApiServer, Credentials } from './api-server.ts';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { PlainContext } from './internal/plain-kubeconfig.ts';
import { plainContext } from './internal/plain-kubeconfig.ts';
import { tunnelThrough } from './internal/tunnel.ts';

/** A kubeconfig, as a file or as text, and the context in it. */
export interface KubeconfigOptions {
  /** Files, in the order of `KUBECONFIG`; what the first says about a name stands. Paths in a file are relative to it. */
  readonly files?: readonly string[];
  /** The kubeconfig itself, instead of files. */
  readonly text?: string;
  /** The context to use instead of the current one. */
  readonly context?: string;
  readonly clock?: Clock;
}

/** The API server of a kubeconfig's context, with the namespace that the context names. */
export interface KubeconfigServer extends ApiServer {
  readonly namespace: string;
}

// How long the answer of files, exec plugins and OIDC is used before they are asked again; they keep tokens until these expire.
const askAgainAfterMs = 10_000;

/**
 * The API server of a kubeconfig, with client certificates, tokens, exec plugins, OIDC, proxies and tls-server-name. A context that says all by itself
 * (server, CA, token or client certificate) is read here. For all others the loader of `@kubernetes/client-node` does the work, which is loaded here
 * and nowhere else, as it costs 0.4 s and 80 MiB. Rejects where the context, its cluster or its user is not in the kubeconfig.
 */
export async function kubeconfigServer(options: KubeconfigOptions): Promise<KubeconfigServer> {
  const { clock = systemClock } = options;
  const plain = await readPlain(options);
  if (plain !== undefined) {
    const { url, namespace } = plain;
    return { url, namespace, ...cached(() => plain.credentials(), clock) };
  }
  const config = await load(options);
  const cluster = config.getCurrentCluster();
  const context = config.getContextObject(config.getCurrentContext());
  if (cluster === null || context === null) {
    throw new Error(`the kubeconfig has no context "${config.getCurrentContext()}", or no cluster for it`);
  }
  if (config.getCurrentUser() === null)
    throw new Error(`the kubeconfig has no user "${context.user}", which its context names`);
  const { proxyUrl } = cluster;
  return {
    url: cluster.server.replace(/\/+$/, ''),
    namespace: context.namespace ?? 'default',
    ...cached(() => readCredentials(config), clock),
    ...(proxyUrl !== undefined && { openTunnel: (target) => openTunnel(config, proxyUrl, target) }),
  };
}

/** Asks again after a while, after a failure, and when the server did not accept what was answered. */
function cached(read: () => Promise<Credentials>, clock: Clock): Pick<ApiServer, 'credentials' | 'refresh'> {
  let known: { readonly credentials: Promise<Credentials>; readonly at: number } | undefined;
  return {
    async credentials() {
      if (known === undefined || clock.now() - known.at >= askAgainAfterMs) {
        known = { credentials: read(), at: clock.now() };
      }
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

// Several files are merged by the loader's rules, so they are left to it.
async function readPlain({ files = [], text, context }: KubeconfigOptions): Promise<PlainContext | undefined> {
  if (text !== undefined) return plainContext({ text, context });
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) return undefined;
  return plainContext({ text: await readFile(file, 'utf8'), directory: dirname(file), context });
}

async function load({ files = [], text, context }: KubeconfigOptions): Promise<KubeConfig> {
  const { KubeConfig: Loader } = await import('@kubernetes/client-node');
  const config = new Loader();
  if (text !== undefined) config.loadFromString(text);
  else if (files.length === 0) throw new TypeError('neither files nor the text of a kubeconfig were given');
  for (const [index, file] of files.entries()) {
    if (index === 0) config.loadFromFile(file);
    else {
      const further = new Loader();
      further.loadFromFile(file);
      config.mergeConfig(further, true);
    }
  }
  if (context !== undefined) config.setCurrentContext(context);
  return config;
}

type Applied = RequestOptions & { headers: Record<string, string>; auth?: string };

async function apply(config: KubeConfig): Promise<Applied> {
  const applied: Applied = { headers: {} };
  await config.applyToHTTPSOptions(applied);
  return applied;
}

async function readCredentials(config: KubeConfig): Promise<Credentials> {
  const applied = await apply(config);
  const headers = Object.fromEntries(
    Object.entries(applied.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  if (applied.auth !== undefined) headers['authorization'] = `Basic ${Buffer.from(applied.auth).toString('base64')}`;
  const user = config.getCurrentUser();
  if (user?.impersonateUser !== undefined) headers['impersonate-user'] = user.impersonateUser;
  return {
    headers,
    tls: {
      ca: pem(applied.ca),
      cert: pem(applied.cert),
      key: pem(applied.key),
      servername: applied.servername,
      rejectUnauthorized: applied.rejectUnauthorized,
    },
  };
}

function pem(value: RequestOptions['ca'] | RequestOptions['key']): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  throw new TypeError('a certificate or key of the kubeconfig came in a form that is not PEM');
}

async function openTunnel(config: KubeConfig, proxyUrl: string, target: TunnelTarget): Promise<Socket> {
  const proxy = new URL(proxyUrl);
  if (!proxy.protocol.startsWith('socks')) return tunnelThrough(proxy, target);
  // For SOCKS, the loader makes an agent whose `connect` opens a tunnel (agent-base). It looks at no request.
  const { agent } = await apply(config);
  const socks = agent as unknown as {
    connect(request: unknown, options: TunnelTarget & { readonly secureEndpoint: false }): Promise<Socket>;
  };
  return socks.connect(undefined, { ...target, secureEndpoint: false });
}

interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}
