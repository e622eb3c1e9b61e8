import type { Client, Clock } from '@ordinal/client';
import { operatorUser, type Installation } from '@ordinal/constructs';
import { DisruptionGate, NamespaceGate } from '@ordinal/reconcilers';
import type { Probes, Seals } from '@ordinal/lifecycle';
import type { CacheReader, Logger, Manager } from '@ordinal/runtime';
import type { ClientCertificates, WebhookMetrics } from '@ordinal/runtime/webhooks';
import type { OperatorWebhooks } from './serve.ts';

/** What the webhooks are opened with. */
export interface OpenWebhooksOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly port: number;
  /** Who may ask. By default everybody who reaches the port. */
  readonly clients?: ClientCertificates;
  readonly installation: Installation;
  readonly probes: Probes;
  readonly seals: Seals;
  readonly manager: Manager;
  readonly metrics?: WebhookMetrics;
  /** Whether ClusteredCaches are kept, whose members may only go when their gates are open. */
  readonly keepsCaches: boolean;
  /** Whether KVStoreClusters are kept, whose required backups a namespace waits for. */
  readonly keepsStores: boolean;
  /** The namespaces in which no resources are kept. */
  readonly reserved: readonly string[];
  /** The selector of the shard that this installation keeps. By default it keeps all of them. */
  readonly shard?: string;
}

/** Opens the webhooks. Their program is loaded only where they are served. */
export async function openWebhooks(options: OpenWebhooksOptions): Promise<OperatorWebhooks> {
  const {
    client,
    clock,
    log,
    port,
    installation,
    probes,
    seals,
    manager,
    metrics,
    keepsCaches,
    keepsStores,
    reserved,
    shard,
    clients,
  } = options;
  const { serveOperatorWebhooks } = await import('./serve.ts');
  const operator = operatorUser(installation);
  const disruption = new DisruptionGate({
    reader: readerOf(manager),
    client,
    probes,
    outside: manager.outside,
    clock,
    operator,
    seals,
    ...(shard === undefined ? {} : { shard }),
  });
  const namespaces = new NamespaceGate({ client, seals, ...(shard === undefined ? {} : { shard }) });
  return serveOperatorWebhooks({
    client,
    clock,
    log,
    port,
    installation,
    reserved,
    ...(metrics ? { metrics } : {}),
    ...(clients ? { clients } : {}),
    ...(keepsCaches ? { disruption } : {}),
    ...(keepsStores ? { namespaces } : {}),
  });
}

/** Reads the caches' controller's caches, which are there only once the manager has started. */
function readerOf(manager: Manager): CacheReader {
  const reader = (): CacheReader => manager.reader('clustered-cache');
  return {
    get: (descriptor, key) => reader().get(descriptor, key),
    list: (descriptor, options) => reader().list(descriptor, options),
    byIndex: (descriptor, index, value) => reader().byIndex(descriptor, index, value),
    countByIndex: (descriptor, index, value) => reader().countByIndex(descriptor, index, value),
    ownedBy: (descriptor, uid) => reader().ownedBy(descriptor, uid),
  };
}

/** The manager's readiness, with that of the webhooks: a replica that the API server could not ask is not ready. */
export function withWebhooks(manager: Manager, webhooks: OperatorWebhooks | undefined): Pick<Manager, 'readiness'> {
  return {
    readiness() {
      const readiness = manager.readiness();
      return webhooks === undefined || webhooks.serving()
        ? readiness
        : { ...readiness, ready: false, unsynced: [...readiness.unsynced, 'the webhooks’ certificate'] };
    },
  };
}
