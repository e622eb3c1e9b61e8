import type { ClusteredCache } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { Client, Clock, KubernetesObject, ObjectKey, Pod } from '@ordinal/client';
import { isApiError, joinSignals, pods, statefulSets } from '@ordinal/client';
import { cacheSelector, selectorText } from '@ordinal/constructs';
import type { CacheReader, OutsideCalls } from '@ordinal/runtime';
import { silentLogger } from '@ordinal/runtime';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import type { Action, Asking, Probes, Question, RolloutAnswer, Seals } from '@ordinal/lifecycle';
import { ActionError, askUntilDecided, execute, putQuestion, SealedStatuses } from '@ordinal/lifecycle';
import type { Disruption, DisruptionVerdict } from './disruption.ts';
import { decideDisruption, passesAnyway } from './disruption.ts';
import { checksOf } from './member-checks.ts';
import { cacheMemory } from './memory.ts';
import type { CacheObservation } from './observe.ts';
import { observeAround } from './observe.ts';
import { ObservedReservations } from './observed-reservations.ts';
import { reservationAnnotation, reservationText } from './reservation.ts';

/** What the gate works with. */
export interface DisruptionGateOptions {
  readonly reader: CacheReader;
  readonly client: Client;
  readonly probes: Probes;
  /** The places to ask from, shared with the reconcilers. */
  readonly outside: OutsideCalls;
  readonly clock: Clock;
  readonly seals: Seals;
  /** The operator's own user name: `system:serviceaccount:ordinal-system:ordinal-operator`. */
  readonly operator: string;
  /** The part of the ClusteredCaches that this installation keeps: the selector of its shard. Absent: all. */
  readonly shard?: string;
}

/** How often it may ask on; more is an error of ours. */
const maxRounds = 5;

/** How often a reservation is tried while another client writes the same object. */
const maxTries = 4;

/** The API server waits five seconds, and lets the pod through after it: an answer has to be there before. */
const answerWithinMs = 4_000;

/** It has gone since the request was made, or what the API server says is older than the request. */
const notListed = 'the API server does not list it';

type Decided = Exclude<DisruptionVerdict, { readonly ask: unknown }>;

/** One request, as it is worked on. */
interface Case {
  readonly key: ObjectKey;
  readonly disruption: Disruption;
  readonly answers: Map<string, RolloutAnswer>;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/**
 * The webhook on the deletion and the eviction of pods. While a gate is closed it answers 429, which `kubectl drain` tries again.
 *
 * **Guarantees.** Of all requests at the same time, at whichever replicas, one may delete a member: it is noted on the ClusteredCache as it was read from the API
 * server, with its StatefulSet and the members: no pod may be deleted because of what was true earlier. The operator's own upgrade takes part, since it writes the
 * status of the same object before it takes a member down. What can't be decided or noted in time is refused with 429: the request is made again.
 *
 * **Caveats.** An eviction names a pod and no more. Where the pod can't be read, one that was never seen as a member's passes: no other pods may depend
 * on the operator. The Jobs of gates are seen through the informers: one that has not been seen yet is a no.
 */
export class DisruptionGate {
  readonly #options: DisruptionGateOptions;
  readonly #reservations = new ObservedReservations();
  readonly #statuses: SealedStatuses<ClusteredCache>;

  constructor(options: DisruptionGateOptions) {
    this.#options = options;
    this.#statuses = new SealedStatuses(cacheMemory, options.seals);
  }

  /** Answers a request to delete or evict a pod; every other one is allowed. */
  async admit(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> {
    const target = targetOf(request);
    if (!target) return { allowed: true };
    const { client, operator } = this.#options;
    let { pod } = target;
    const verdict = await this.#inTime(signal, async (until) => {
      pod ??= await client(pods).namespace(target.namespace).find(target.name, { signal: until });
      const key = pod && cacheOf(pod);
      if (!pod || !key) return { may: true, because: 'it is no member' };
      const disruption = { pod, requester: request.userInfo.username ?? '', operator };
      return this.#judge({ key, disruption, answers: new Map(), dryRun: request.dryRun ?? false, signal: until });
    });
    if (verdict.may) return { allowed: true };
    return this.#refused(pod ?? this.#seen(target), `${verdict.because}. Try again later.`);
  }

  /**
   * The verdict on a request that was not judged, since there are too many or it is too late: 429, for no member may be deleted because of that. What is
   * no member, as far as the request or the informers say, passes, and so does what passes anyway.
   */
  undecided(request: AdmissionRequest, why: string): Verdict {
    const target = targetOf(request);
    if (!target) return { allowed: true };
    const { pod } = target;
    const requester = request.userInfo.username ?? '';
    if (pod && passesAnyway({ pod, requester, operator: this.#options.operator }) !== undefined)
      return { allowed: true };
    return this.#refused(
      pod ?? this.#seen(target),
      `the operator can’t tell now (${why}). Try again in a few seconds.`,
    );
  }

  /** A no, where the pod is a member's as far as is known. */
  #refused(pod: Pod | undefined, because: string): Verdict {
    if (!pod || !cacheOf(pod)) return { allowed: true };
    const message = `${pod.metadata.name} may not go down yet: ${because}`;
    return { allowed: false, code: 429, reason: 'TooManyRequests', message };
  }

  /** A pod that could not be read, as the informers have it; nothing before they have begun. */
  #seen(key: ObjectKey): Pod | undefined {
    try {
      return this.#options.reader.get(pods, key);
    } catch {
      return undefined;
    }
  }

  /** What is not decided in time, or fails, is a no. */
  async #inTime(signal: AbortSignal, judge: (signal: AbortSignal) => Promise<Decided>): Promise<Decided> {
    const over = new AbortController();
    const late = new Promise<Decided>((resolve) => {
      over.signal.addEventListener('abort', () =>
        resolve({ may: false, because: `it could not be decided within ${answerWithinMs / 1000} s` }),
      );
    });
    const timer = this.#options.clock.after(answerWithinMs, () => over.abort());
    const either = joinSignals(signal, over.signal);
    const judged = judge(either.signal).catch((failure: unknown): Decided => ({
      may: false,
      because: `it could not be decided: ${failure instanceof Error ? failure.message : String(failure)}`,
    }));
    try {
      return await Promise.race([late, judged]);
    } finally {
      timer.cancel();
      either.release();
    }
  }

  async #judge(asked: Case): Promise<Decided> {
    const anyway = passesAnyway(asked.disruption);
    if (anyway !== undefined) return { may: true, because: anyway };
    const { reader } = this.#options;
    this.#reservations.keepOnly((key) => reader.get(clusteredCaches, key) !== undefined);
    const verdict = await this.#reserve(asked);
    if (!verdict.may && verdict.actions && !asked.dryRun) await this.#prepare(verdict.actions, asked.signal);
    return verdict;
  }

  /** Decides, and asks what has to be asked for it. */
  async #decide({ disruption, answers, signal }: Case, seen: CacheObservation): Promise<Decided> {
    const { clock } = this.#options;
    const decide = (): DisruptionVerdict => decideDisruption(seen, disruption, { answers, now: clock.now() });
    const put = (question: Question): Promise<RolloutAnswer> => this.#put(question, seen, signal);
    const verdict = await askUntilDecided({ decide, put, maxRounds }, answers);
    return verdict ?? { may: false, because: `it still asks after ${maxRounds} rounds` };
  }

  /** Decides from what the API server itself says, and notes that this member may go, on the object as it was read. */
  async #reserve(asked: Case): Promise<Decided> {
    const { client, clock } = this.#options;
    const { key, signal, dryRun } = asked;
    const { uid } = asked.disruption.pod.metadata;
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      const seen = await this.#look(asked);
      if (!seen) return { may: true, because: 'its ClusteredCache is gone, or another installation keeps it' };
      if (!seen.pods.some(({ metadata }) => metadata.uid === uid)) return { may: false, because: notListed };
      const verdict = await this.#decide(asked, seen);
      // What does not serve, or is lost already, needs no turn.
      if (!verdict.may || !verdict.serving || dryRun) return verdict;
      const annotations = { [reservationAnnotation]: reservationText(asked.disruption.pod.metadata, clock.now()) };
      const body = { metadata: { resourceVersion: seen.cache.metadata.resourceVersion, annotations } };
      try {
        const resource = client(clusteredCaches).namespace(key.namespace);
        const noted = await resource.patch(key.name, { type: 'merge', body }, { signal });
        this.#reservations.current(noted, clock); // Its time begins.
        return verdict;
      } catch (failure) {
        if (!isApiError(failure, 'Conflict')) throw failure;
      }
    }
    return { may: false, because: 'others write its ClusteredCache at the same time' };
  }

  /** Looks at a cache, its StatefulSet and its members as the API server has them now. Undefined where there is none that this installation keeps. */
  async #look({ key, disruption, signal }: Case): Promise<CacheObservation | undefined> {
    const { reader, client, clock } = this.#options;
    const { namespace, name } = key;
    const found = await client(clusteredCaches).namespace(namespace).find(name, { signal });
    const cache = found && this.#statuses.believed(found, { cache: reader, now: clock.now() });
    if (!cache || !(await this.#keeps(key, signal))) return undefined;
    const labelSelector = selectorText(cacheSelector(name));
    const [set, members] = await Promise.all([
      client(statefulSets).namespace(namespace).find(name, { signal }),
      client(pods).namespace(namespace).list({ labelSelector, signal }),
    ]);
    const around = observeAround(cache, { reader, clock, reservations: this.#reservations });
    // Its own state is that of the request.
    const { pod } = disruption;
    const present = members.items.map((member) => (member.metadata.uid === pod.metadata.uid ? pod : member));
    return { ...around, children: { ...around.children, set }, pods: present };
  }

  /** Whether a cache that there is belongs to the shard of this installation. */
  async #keeps(key: ObjectKey, signal: AbortSignal): Promise<boolean> {
    const { reader, client, shard: labelSelector } = this.#options;
    if (labelSelector === undefined || reader.get(clusteredCaches, key)) return true;
    const fieldSelector = `metadata.name=${key.name}`;
    const caches = client(clusteredCaches).namespace(key.namespace);
    const { items } = await caches.list({ fieldSelector, labelSelector, signal });
    return items.length > 0;
  }

  /** Makes the Jobs that gates are asked by. One that another client made meanwhile is as good. */
  async #prepare(actions: readonly Action[], signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const events = { publish: () => undefined };
    try {
      await execute({ actions }, { client, clock, events, log: silentLogger, signal });
    } catch (failure) {
      if (!(failure instanceof ActionError && failure.code === 'Stale')) throw failure;
    }
  }

  #put(question: Question, { cache }: CacheObservation, signal: AbortSignal): Promise<RolloutAnswer> {
    const { namespace } = question.of;
    const { probes, clock, outside } = this.#options;
    const how: Asking = { probes, signal, clock, outside: (call) => outside.run(namespace, call, { signal }) };
    return putQuestion(question, checksOf(cache.spec), how);
  }
}

/** The pod that a request deletes or evicts, with the object where the request has it. Undefined where a request is about something else. */
function targetOf(request: AdmissionRequest): (ObjectKey & { readonly pod?: Pod }) | undefined {
  const { operation, resource, subResource, oldObject, namespace = '', name } = request;
  if (resource.resource !== 'pods' || resource.group !== '') return undefined;
  if (operation === 'CREATE' && subResource === 'eviction' && name !== undefined) return { namespace, name };
  if (operation !== 'DELETE' || !oldObject) return undefined;
  return { namespace, name: oldObject.metadata.name, pod: oldObject as KubernetesObject as Pod }; // Of resource pods.
}

/** The cache to which a pod says it belongs. */
function cacheOf({ metadata }: Pod): ObjectKey | undefined {
  const { namespace = '', labels = {} } = metadata;
  const { 'app.kubernetes.io/instance': name = '' } = labels;
  // All of the labels by which its StatefulSet selects it: with one of them missing it is no member.
  const isSelected = Object.entries(cacheSelector(name)).every(([key, value]) => labels[key] === value);
  return name !== '' && isSelected ? { namespace, name } : undefined;
}
