import type { Event, Instant } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { EventRecord, EventRecorder } from '@ordinal/runtime';

/** The warnings that an operator publishes in a simulated world. They are not written there: a write more would be one more that a fault may hit. */
export class SaidWarnings implements EventRecorder {
  readonly #now: () => Instant;
  readonly #said = new Map<string, { readonly event: EventRecord; readonly at: Instant }>();

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /** Takes it down, with the time; of what is said again, the last time. */
  publish(event: EventRecord): void {
    if (event.type === 'Warning')
      this.#said.set(`${event.regarding.metadata.uid} ${event.reason} ${event.note}`, { event, at: this.#now() });
  }

  /** As the API server would list them. */
  asEvents(): readonly Event[] {
    return [...this.#said.values()].map(({ event: { regarding, type, reason, note }, at }, index) => {
      const { namespace = '', name, uid } = regarding.metadata;
      const metadata = { name: `said-${index}`, namespace, uid: `said-${index}`, resourceVersion: '0' };
      return {
        ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event' },
        metadata: { ...metadata, creationTimestamp: timestamp(at) },
        eventTime: timestamp(at),
        ...{ type, reason, note, regarding: { kind: regarding.kind, namespace, name, uid } },
      };
    });
  }
}
