import type { Client, Clock } from '@ordinal/client';
import { operatorUser, type Installation } from '@ordinal/constructs';
import type { GateName, Kind } from '@ordinal/reconcilers';
import type { Probes, Seals } from '@ordinal/lifecycle';
import type { CacheReader, Logger, Manager } from '@ordinal/runtime';
import type { ClientCertificates, WebhookMetrics } from '@ordinal/runtime/webhooks';
import type { Gates, OperatorWebhooks } from './serve.ts';

/** What the webhooks are opened with. */
export interface OpenWebhooksOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly port: number;
  /** Who may ask. By default everyone who reaches the port. */
  readonly clients?: ClientCertificates;
  readonly installation: Installation;
  readonly probes: Probes;
  readonly seals: Seals;
  readonly manager: Manager;
  readonly metrics?: WebhookMetrics;
  /** The kinds that are kept. The gates of others are not asked. */
  readonly kinds: readonly Kind[];
  /** The namespaces in which no resources are kept. */
  readonly reserved: readonly string[];
  /** The selector of the shard that this installation keeps. By default it keeps all of them. */
  readonly shard?: string;
}

/** Opens the webhooks. Their program is loaded only where they are served. */
export async function openWebhooks(options: OpenWebhooksOptions): Promise<OperatorWebhooks> {
  const { serveOperatorWebhooks } = await import('./serve.ts');
  return serveOperatorWebhooks({ ...options, gates: gatesOf(options) });
}

/** The gates of the kinds that are kept, by what they judge. */
function gatesOf({ kinds, manager, installation, ...options }: OpenWebhooksOptions): Gates {
  const { outside } = manager;
  const made = (name: GateName) =>
    kinds.flatMap(({ name: controller, webhook }) => {
      const reader = readerOf(manager, controller);
      const gate = webhook.gates?.[name]?.({ ...options, reader, outside, operator: operatorUser(installation) });
      return gate === undefined ? [] : [gate];
    });
  return { disruption: made('disruption'), namespaces: made('namespaces') };
}

/** Reads the caches of a controller, which are there only once the manager has started. */
function readerOf(manager: Manager, controller: string): CacheReader {
  const reader = (): CacheReader => manager.reader(controller);
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
