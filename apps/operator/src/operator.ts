import { secrets, systemClock } from '@ordinal/client';
import type { Client, Clock } from '@ordinal/client';
import { clusteredCaches, kvStoreClusters } from '@ordinal/api';
import { operatorName } from '@ordinal/constructs';
import type { Probes } from '@ordinal/reconcilers';
import { DisruptionGate, probesThrough, clusteredCacheMetrics, kvStoreClusterMetrics } from '@ordinal/reconcilers';
import type { CacheReader, ControllerDefinition, Logger, Manager } from '@ordinal/runtime';
import { createManager } from '@ordinal/runtime';
import {
  observeManager,
  prometheusClientMetrics,
  prometheusMetrics,
  serveProbes,
} from '@ordinal/runtime/observability';
import { Registry } from 'prom-client';
import type { OperatorSettings } from './configuration/settings.ts';
import type { Target } from './connection.ts';
import { connect } from './connection.ts';
import { controllersFor } from './controllers.ts';
import { directHttp } from './direct-http.ts';
import { cleanupMetrics, observeResources } from './metrics.ts';
import { preflight } from './preflight.ts';
import { createExchange, databaseProviders, httpMonitors } from './providers/index.ts';
import type { OperatorWebhooks } from './webhooks/serve.ts';

/** How long a call of a monitor or provider may take, in milliseconds, as seed 002 has it. */
const callTimeoutMs = 5_000;

/** What an operator runs on. */
export interface OperatorParts {
  readonly settings: OperatorSettings;
  readonly target: Target;
  readonly version: string;
  /** This process among its replicas. */
  readonly identity: string;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Something that was opened and has to be closed. */
type Close = () => Promise<unknown>;

/**
 * Runs the operator until the signal is aborted, and resolves when all work has come to its end and everything is closed.
 *
 * Rejects where it can't begin: a port that is taken, or a provider Secret that is not there. What is missing in the cluster, such as a CRD or a permission, is
 * said in the log, and readiness stays false until it is there.
 */
export async function runOperator(parts: OperatorParts, signal: AbortSignal): Promise<void> {
  const closing: Close[] = [];
  try {
    const manager = await assemble(parts, closing);
    await manager.start(signal);
  } finally {
    await Promise.allSettled(closing.reverse().map((close) => close()));
  }
}

async function assemble(parts: OperatorParts, closing: Close[]): Promise<Manager> {
  const { settings, target, log, version } = parts;
  const registry = new Registry();
  const userAgent = `ordinal-operator/${version}`;
  const work = connect(target.server, { userAgent, metrics: prometheusClientMetrics(registry) });
  const lease = connect(target.server, { userAgent: `${userAgent} (lease)` });
  closing.push(
    () => work.transport.close(),
    () => lease.transport.close(),
  );
  const direct = directHttp();
  closing.push(direct.close);
  const probes = probesThrough(work.client, direct.http);
  const definitions = await buildControllers(parts, { client: work.client, probes, registry, closing });
  await report(definitions, { client: work.client, namespaces: settings.namespaces, log });
  const manager = manage(parts, { client: work.client, leaseClient: lease.client, registry });
  for (const definition of definitions) manager.add(definition);
  observeManager(registry, manager, parts.clock ?? systemClock);
  observeKinds(parts, manager, registry);
  const webhooks = await openWebhooks(parts, { client: work.client, probes, manager });
  if (webhooks) closing.push(() => webhooks.close());
  await serve(settings, { manager: withWebhooks(manager, webhooks), registry, closing });
  return manager;
}

/** There is nothing to read before the manager has started, and a scrape may come earlier. */
const hasCaches = (manager: Manager): boolean => manager.caches().length > 0;

/** What the resources themselves say, in gauges. */
function observeKinds({ settings, clock = systemClock }: OperatorParts, manager: Manager, registry: Registry): void {
  if (settings.kinds.includes('ClusteredCache')) {
    const caches = () => (hasCaches(manager) ? manager.reader('clustered-cache').list(clusteredCaches) : []);
    observeResources(registry, 'clusteredcache', () => clusteredCacheMetrics(caches(), clock.now()));
  }
  if (settings.kinds.includes('KVStoreCluster')) {
    const stores = () => (hasCaches(manager) ? manager.reader('kv-store-cluster').list(kvStoreClusters) : []);
    observeResources(registry, 'kvstorecluster', () => kvStoreClusterMetrics(stores(), clock.now()));
  }
}

/** The webhooks, loaded only where they are served: their certificates need a library of their own. */
async function openWebhooks(
  { settings, target, log, clock = systemClock }: OperatorParts,
  { client, probes, manager }: { readonly client: Client; readonly probes: Probes; readonly manager: Manager },
): Promise<OperatorWebhooks | undefined> {
  if (!settings.webhooks) return undefined;
  const { serveOperatorWebhooks } = await import('./webhooks/serve.ts');
  const namespace = ownNamespace(settings, target);
  const operator = `system:serviceaccount:${namespace}:${operatorName}`;
  const keepsCaches = settings.kinds.includes('ClusteredCache');
  return serveOperatorWebhooks({
    client,
    clock,
    log,
    port: settings.webhookPort,
    namespace,
    ...(keepsCaches ? { disruption: new DisruptionGate({ reader: readerOf(manager), probes, clock, operator }) } : {}),
  });
}

/** Reads the caches' controller's caches, which are there only once the manager has started. */
function readerOf(manager: Manager): CacheReader {
  const reader = (): CacheReader => manager.reader('clustered-cache');
  return {
    get: (descriptor, key) => reader().get(descriptor, key),
    list: (descriptor, options) => reader().list(descriptor, options),
    byIndex: (descriptor, index, value) => reader().byIndex(descriptor, index, value),
    ownedBy: (descriptor, uid) => reader().ownedBy(descriptor, uid),
  };
}

/** The manager's readiness, with that of the webhooks: a replica that the API server could not ask is not ready. */
function withWebhooks(manager: Manager, webhooks: OperatorWebhooks | undefined): Pick<Manager, 'readiness'> {
  return {
    readiness() {
      const readiness = manager.readiness();
      return webhooks === undefined || webhooks.serving()
        ? readiness
        : { ...readiness, ready: false, unsynced: [...readiness.unsynced, 'the webhooks’ certificate'] };
    },
  };
}

function ownNamespace({ podNamespace }: OperatorSettings, target: Target): string {
  return podNamespace === '' ? target.namespace : podNamespace;
}

interface Building {
  readonly client: Client;
  readonly probes: Probes;
  readonly registry: Registry;
  readonly closing: Close[];
}

async function buildControllers(
  { settings, clock = systemClock }: OperatorParts,
  building: Building,
): Promise<readonly ControllerDefinition[]> {
  const { client, probes, registry, closing } = building;
  const policy = {
    ...(settings.allowedHosts.length > 0 ? { allowedHosts: settings.allowedHosts } : {}),
    ...(settings.allowedNetworks.length > 0 ? { allowedNetworks: settings.allowedNetworks } : {}),
  };
  const exchange = createExchange({ policy, timeoutMs: callTimeoutMs });
  closing.push(() => exchange.close());
  const rateLimit = { perSecond: settings.providerRate, burst: settings.providerRate };
  const defaultAccount = await readSecret(client, settings.providerSecret);
  return controllersFor(settings.kinds, {
    probes,
    monitors: httpMonitors({ exchange, policy, callTimeoutMs }),
    providers: databaseProviders({
      clock,
      exchange,
      policy,
      callTimeoutMs,
      rateLimit,
      ...(defaultAccount ? { defaultAccount } : {}),
    }),
    cleanup: cleanupMetrics(registry),
    concurrency: settings.concurrency,
  });
}

/** The values of the Secret that describes the default provider account. Rejects where it is named and not there. */
async function readSecret(client: Client, place: string): Promise<Readonly<Record<string, string>> | undefined> {
  if (place === '') return undefined;
  const [namespace = '', name = ''] = place.split('/');
  if (namespace === '' || name === '')
    throw new Error(`--provider-secret is written NAMESPACE/NAME, not ${JSON.stringify(place)}`);
  const secret = await client(secrets).namespace(namespace).find(name);
  if (!secret)
    throw new Error(`--provider-secret names ${place}, and there is no such Secret: create it, or leave the flag out`);
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

async function report(
  definitions: readonly ControllerDefinition[],
  {
    client,
    namespaces,
    log,
  }: { readonly client: Client; readonly namespaces: readonly string[]; readonly log: Logger },
): Promise<void> {
  try {
    for (const { what, message } of await preflight({ client, definitions, namespaces }))
      log.error({ missing: what }, message);
  } catch (error) {
    log.warn({ error: String(error) }, 'what the operator needs in the cluster could not be looked at');
  }
}

function manage(
  { settings, target, identity, log, clock = systemClock }: OperatorParts,
  {
    client,
    leaseClient,
    registry,
  }: { readonly client: Client; readonly leaseClient: Client; readonly registry: Registry },
): Manager {
  const { leaseDuration: leaseMs, renewDeadline: renewDeadlineMs, retryPeriod: retryMs } = settings;
  const namespace = ownNamespace(settings, target);
  return createManager({
    client,
    clock,
    random: Math.random,
    name: 'ordinal.dev/operator',
    identity,
    logger: log,
    metrics: prometheusMetrics(registry),
    drainMs: settings.drainTimeout,
    ...(settings.namespaces.length > 0 ? { namespaces: settings.namespaces } : {}),
    ...(settings.shard === '' ? {} : { shard: { labelSelector: settings.shard } }),
    ...(settings.leaderElect
      ? {
          leaderElection: {
            client: leaseClient,
            namespace,
            name: settings.leaseName,
            leaseMs,
            renewDeadlineMs,
            retryMs,
          },
        }
      : {}),
  });
}

async function serve(
  { healthPort, metricsPort }: OperatorSettings,
  {
    manager,
    registry,
    closing,
  }: { readonly manager: Pick<Manager, 'readiness'>; readonly registry: Registry; readonly closing: Close[] },
): Promise<void> {
  if (healthPort !== 0) {
    const health = await serveProbes({
      port: healthPort,
      manager,
      ...(metricsPort === healthPort ? { registry } : {}),
    });
    closing.push(() => health.close());
  }
  if (metricsPort !== 0 && metricsPort !== healthPort) {
    const metrics = await serveProbes({ port: metricsPort, manager, registry });
    closing.push(() => metrics.close());
  }
}
