import { microTimestamp } from '@ordinal/client';
import type { Client, Clock, KubernetesObject, ResourceDescriptor, Timer } from '@ordinal/client';
import { messageOf } from '../cache/watch-failure.ts';
import type { RuntimeMetrics } from '../metrics/metrics.ts';
import type { EventRecord, EventRecorder, Logger } from '../reconciler.ts';
import { FairMap } from '../queue/fair-map.ts';
import { TokenBucket } from '../queue/rate-limit.ts';

/** An event as `events.k8s.io/v1` has it. */
interface KubernetesEvent extends KubernetesObject {
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** What is written of it. */
interface KubernetesEventInput extends Omit<KubernetesEvent, 'metadata'> {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly type: EventRecord['type'];
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: object;
}

const eventKind: ResourceDescriptor<KubernetesEvent, KubernetesEventInput> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};

/** Repetitions are written together, this long after the first of them, in milliseconds. */
const seriesDelayMs = 10_000;
/** An event that has not happened again for so long begins again, in milliseconds. The API server keeps events for about an hour. */
const seriesEndMs = 360_000;
/** For one object: so many different events at once, and one more every five minutes, as client-go has it. */
const perObject = { burst: 25, perSecond: 1 / 300 };
/** So many are written at a time: the connections are those of the reconciles. */
const writesAtATime = 8;
/** So many of a namespace wait to be written, and so many of its series are remembered. */
const perNamespace = { waiting: 256, series: 1024 };
/** How often what has ended is looked for, in milliseconds. */
const forgetEveryMs = 10_000;
/** The API's limit for a note, in characters. */
const noteLimit = 1024;

/** What a recorder needs. */
export interface EventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly metrics: RuntimeMetrics;
  readonly log: Logger;
  /** The operator: `cache.my.domain/operator`. */
  readonly reportingController: string;
  /** This process, as its pod's name. */
  readonly reportingInstance: string;
}

interface Series {
  readonly namespace: string;
  readonly name: string;
  count: number;
  written: number;
  lastAt: number;
  /** For how long after `lastAt` it is remembered, in milliseconds. */
  keptMs: number;
  created: Promise<boolean>;
  timer: Timer | undefined;
}

/**
 * Publishes events. The first of its kind is written at once; when the same thing happens again to the same object, the count in the event's series
 * grows instead, and is written at most every ten seconds. What is written at most every so often (`atMostEveryMs`) is left out until then. Nothing waits
 * for it, and nothing that goes wrong here is thrown.
 */
export class ApiEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  /** By namespace, the oldest first. */
  readonly #series = new Map<string, Map<string, Series>>();
  readonly #waiting = new FairMap<() => void>();
  #writing = 0;
  #lookedForEnded = 0;
  readonly #buckets = new Map<string, TokenBucket>();
  #sequence = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Publishes an event. Returns at once; what goes wrong is counted. */
  publish(event: EventRecord): void {
    const { clock } = this.#options;
    const identity = [event.regarding.metadata.uid, event.type, event.reason, event.action ?? '', event.note].join(
      '\n',
    );
    const series = this.#series.get(namespaceOf(event))?.get(identity);
    if (series === undefined || !isWithin(clock.now() - series.lastAt, event.atMostEveryMs ?? seriesEndMs)) {
      this.#begin(event, identity);
      return;
    }
    if (event.atMostEveryMs === undefined) this.#repeat(series);
    else series.keptMs = Math.max(series.keptMs, event.atMostEveryMs);
  }

  #begin(event: EventRecord, identity: string): void {
    const { clock, metrics } = this.#options;
    this.#forgetEnded();
    const { uid } = event.regarding.metadata;
    const bucket = this.#buckets.get(uid) ?? new TokenBucket(perObject, clock);
    this.#buckets.set(uid, bucket);
    if (bucket.take() > 0) {
      metrics.eventDropped();
      return;
    }
    const body = this.#body(event);
    const { namespace, name } = body.metadata;
    const created = this.#write(
      namespaceOf(event),
      async () => await this.#options.client(eventKind).namespace(namespace).create(body),
    );
    this.#remember(namespaceOf(event), identity, {
      namespace,
      name,
      count: 1,
      written: 1,
      lastAt: clock.now(),
      keptMs: Math.max(seriesEndMs, event.atMostEveryMs ?? 0),
      created,
      timer: undefined,
    });
  }

  #repeat(series: Series): void {
    const { clock } = this.#options;
    series.count += 1;
    series.lastAt = clock.now();
    series.timer ??= clock.after(seriesDelayMs, () => {
      series.timer = undefined;
      void this.#writeSeries(series);
    });
  }

  async #writeSeries(series: Series): Promise<void> {
    if (!(await series.created)) return;
    const lastObservedTime = microTimestamp(series.lastAt);
    const { count, namespace, name } = series;
    const body = { series: { count, lastObservedTime } };
    await this.#write(
      namespace,
      async () => await this.#options.client(eventKind).namespace(namespace).patch(name, { type: 'merge', body }),
    );
    series.written = count;
  }

  #remember(namespace: string, identity: string, series: Series): void {
    const known = this.#series.get(namespace) ?? new Map<string, Series>();
    this.#series.set(namespace, known);
    known.delete(identity);
    for (const oldest of known.keys()) {
      if (known.size < perNamespace.series) break;
      known.delete(oldest);
    }
    known.set(identity, series);
  }

  /** Writes when it is this one's turn: a few at a time, namespace by namespace. What would wait behind too many of its own is dropped. */
  async #write(namespace: string, call: () => Promise<unknown>): Promise<boolean> {
    const { metrics, log } = this.#options;
    try {
      await this.#turn(namespace);
    } catch {
      metrics.eventDropped();
      return false;
    }
    try {
      await call();
      return true;
    } catch (error) {
      metrics.eventDropped();
      log.debug({ namespace, error: messageOf(error) }, 'an event could not be written');
      return false;
    } finally {
      this.#writing -= 1;
      this.#serve();
    }
  }

  #turn(namespace: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.sizeOf(namespace) >= perNamespace.waiting) {
        reject(new Error('too many events of the namespace wait'));
        return;
      }
      this.#sequence += 1;
      this.#waiting.set(namespace, String(this.#sequence), resolve);
      this.#serve();
    });
  }

  #serve(): void {
    while (this.#writing < writesAtATime) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#writing += 1;
      next.value();
    }
  }

  #forgetEnded(): void {
    const now = this.#options.clock.now();
    if (isWithin(now - this.#lookedForEnded, forgetEveryMs)) return;
    this.#lookedForEnded = now;
    for (const [namespace, known] of this.#series) {
      for (const [identity, series] of known) if (!isWithin(now - series.lastAt, series.keptMs)) known.delete(identity);
      if (known.size === 0) this.#series.delete(namespace);
    }
    for (const [uid, bucket] of this.#buckets) if (bucket.isFull) this.#buckets.delete(uid);
  }

  #body({ regarding, type, reason, action, note }: EventRecord): KubernetesEventInput {
    const { clock, reportingController, reportingInstance } = this.#options;
    const { name, namespace, uid, resourceVersion } = regarding.metadata;
    const now = clock.now();
    this.#sequence += 1;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      // Unique for this process by its sequence, for others by the time: no randomness is needed.
      metadata: {
        name: `${name.slice(0, 200)}.${now.toString(16)}${this.#sequence.toString(16).padStart(4, '0')}`,
        namespace: namespace ?? 'default',
      },
      eventTime: microTimestamp(now),
      reportingController,
      reportingInstance,
      type,
      reason,
      action: action ?? 'Reconcile',
      note: note.length > noteLimit ? `${note.slice(0, noteLimit - 1)}…` : note,
      regarding: {
        apiVersion: regarding.apiVersion,
        kind: regarding.kind,
        name,
        ...(namespace !== undefined && { namespace }),
        uid,
        resourceVersion,
      },
    };
  }
}

/** The namespace that an event about an object is written to. */
const namespaceOf = ({ regarding }: EventRecord): string => regarding.metadata.namespace ?? 'default';

/** Whether so much time has not passed yet. Where the clock was set back since, that is unknown, and it counts as passed. */
const isWithin = (elapsedMs: number, periodMs: number): boolean => elapsedMs >= 0 && elapsedMs < periodMs;
