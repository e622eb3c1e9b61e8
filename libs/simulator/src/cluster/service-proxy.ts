import type { Instant } from '@ordinal/client';
import type { LiveService, ServicePort } from '../controllers/network/pods.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { backendsOf } from './service-endpoints.ts';
import type { Backend, EndpointSource } from './service-endpoints.ts';

/** How many clients are remembered: those that asked last. */
const rememberedClients = 10_000;

/** How long a client stays with its pod where the Service does not say. */
const usualAffinitySeconds = 10_800;

interface Former {
  readonly backend: Backend;
  readonly at: Instant;
}

/** Chooses who answers the requests to Services, as the proxies of the nodes do: by chance, or always the same for a client. */
export class ServiceProxy {
  private readonly source: EndpointSource;
  private readonly scheduler: Scheduler;
  private readonly former = new Map<string, Former>();

  constructor(source: EndpointSource, scheduler: Scheduler) {
    this.source = source;
    this.scheduler = scheduler;
  }

  /** Who answers; undefined where nothing does. */
  choose(service: LiveService, port: ServicePort, client: string | undefined): Backend | undefined {
    const backends = backendsOf(service, port, this.source);
    const { sessionAffinity, sessionAffinityConfig } = service.spec ?? {};
    const chosen = (): Backend | undefined => backends[Math.floor(this.scheduler.random() * backends.length)];
    if (sessionAffinity !== 'ClientIP' || client === undefined) return chosen();
    const key = `${service.metadata.uid} ${port.name ?? ''} ${client}`;
    const now = this.scheduler.now();
    const lastingMs = (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? usualAffinitySeconds) * 1000;
    const former = this.former.get(key);
    const kept =
      former !== undefined && now - former.at < lastingMs
        ? backends.find(({ address, port: at }) => address === former.backend.address && at === former.backend.port)
        : undefined;
    const backend = kept ?? chosen();
    this.former.delete(key);
    if (backend !== undefined) this.former.set(key, { backend, at: now });
    const [oldest] = this.former.keys();
    if (this.former.size > rememberedClients && oldest !== undefined) this.former.delete(oldest);
    return backend;
  }
}
