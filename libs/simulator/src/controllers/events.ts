import type { KubernetesObject } from '@ordinal/client';
import { isApiError, timestamp } from '@ordinal/client';
import type { Event } from 'kubernetes-types/core/v1.js';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { kinds } from './kinds.ts';
import type { Store } from './store.ts';

/** How many events are known by what they say: as many as a real recorder knows. */
const knownEvents = 4096;

/** Publishes events about objects; one that says what was said before counts the repetition instead. */
export class EventPublisher {
  private readonly store: Store;
  private readonly scheduler: Scheduler;
  private readonly component: string;
  private readonly published = new Map<string, string>();
  private count = 0;

  constructor(store: Store, scheduler: Scheduler, component: string) {
    this.store = store;
    this.scheduler = scheduler;
    this.component = component;
  }

  /** Publishes an event. Never throws: an event that can't be written is dropped. */
  publish(regarding: KubernetesObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { namespace = 'default', name, uid, resourceVersion } = regarding.metadata;
    const time = timestamp(this.scheduler.now());
    const key = `${uid}/${type}/${reason}/${message}`;
    try {
      const known = this.store.find<Event>(kinds.event, namespace, this.published.get(key) ?? '');
      if (known !== undefined) {
        this.store.update<Event>(kinds.event, { ...known, count: (known.count ?? 1) + 1, lastTimestamp: time });
        return;
      }
      this.count += 1;
      const eventName = `${name}.${this.scheduler.now().toString(16)}${this.count.toString(16).padStart(4, '0')}`;
      const { apiVersion, kind } = regarding;
      this.store.create<Event>(kinds.event, {
        metadata: { name: eventName, namespace },
        involvedObject: {
          apiVersion,
          kind,
          name,
          uid,
          resourceVersion,
          ...(regarding.metadata.namespace !== undefined && { namespace }),
        },
        type,
        reason,
        message,
        source: { component: this.component },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      });
      this.published.set(key, eventName);
      if (this.published.size <= knownEvents) return;
      const [oldest = ''] = this.published.keys();
      this.published.delete(oldest);
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
  }
}
