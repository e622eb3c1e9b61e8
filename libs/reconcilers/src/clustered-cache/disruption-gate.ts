import { clusteredCaches } from '@ordinal/api';
import type { Client, Clock, KubernetesObject, ObjectKey, Pod } from '@ordinal/client';
import { isApiError, joinSignals, pods } from '@ordinal/client';
import { cacheSelector, selectorText } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';
import { silentLogger } from '@ordinal/runtime';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import type { Action } from '../decision/index.ts';
import { ActionError, execute, fieldManager } from '../decision/index.ts';
import type { Probes } from '../health-check/index.ts';
import { ask } from '../health-check/index.ts';
import type { Question, RolloutAnswer } from '../rollout/index.ts';
import { questionKey } from '../rollout/index.ts';
import type { Disruption, DisruptionVerdict } from './disruption.ts';
import { decideDisruption } from './disruption.ts';
import type { CacheObservation } from './observe.ts';
import { observe } from './observe.ts';
import { ObservedReservations } from './observed-reservations.ts';
import { checkFor, readAnswer } from './questions.ts';
import { letGoAnnotation, reservationText } from './reservation.ts';

/** What the gate works with. */
export interface DisruptionGateOptions {
  readonly reader: CacheReader;
  readonly client: Client;
  readonly probes: Probes;
  readonly clock: Clock;
  /** The operator's own user name: `system:serviceaccount:ordinal-system:ordinal-operator`. */
  readonly operator: string;
}

/** How often it may ask on; more is an error of ours. */
const mostRounds = 5;

/** How often a reservation is tried while somebody else writes the same object. */
const mostTries = 4;

/** The API server waits five seconds, and lets the pod through after it: an answer has to be there before. */
const answerWithinMs = 4_000;

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
 * **Guarantees.** Of all requests at the same time, at whichever replicas, one lets a member go: it is noted on the ClusteredCache as it was read from the API
 * server, after the members were read from there too. The operator's own upgrade takes part, since it writes the status of the same object before it takes
 * a member down. What can't be decided or noted in time is refused with 429: the request is made again.
 */
export class DisruptionGate {
  readonly #options: DisruptionGateOptions;
  readonly #reservations = new ObservedReservations();

  constructor(options: DisruptionGateOptions) {
    this.#options = options;
  }

  /** Answers a request to delete or evict a pod; every other one is allowed. */
  async admit(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> {
    const pod = this.#podOf(request);
    const key = pod && cacheOf(pod);
    if (!pod || !key) return { allowed: true };
    const requester = request.userInfo.username ?? '';
    const verdict = await this.#inTime(signal, (until) =>
      this.#judge({
        key,
        disruption: { pod, requester, operator: this.#options.operator },
        answers: new Map(),
        dryRun: request.dryRun ?? false,
        signal: until,
      }),
    );
    if (verdict.may) return { allowed: true };
    const message = `${pod.metadata.name} may not go down yet: ${verdict.because}. Try again later.`;
    return { allowed: false, code: 429, reason: 'TooManyRequests', message };
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
    const { reader, clock } = this.#options;
    const seen = observe(asked.key, { reader, clock, reservations: this.#reservations });
    const verdict = await this.#decide(asked, seen);
    if (!verdict.may && verdict.actions && !asked.dryRun) await this.#prepare(verdict.actions, asked.signal);
    // What serves nobody, or is lost already, needs no turn.
    if (!verdict.may || !verdict.serving || !seen) return verdict;
    this.#reservations.keepOnly((key) => reader.get(clusteredCaches, key) !== undefined);
    return this.#letGo(asked, seen);
  }

  /** Decides, and asks what has to be asked for it. */
  async #decide(asked: Case, seen: CacheObservation | undefined): Promise<Decided> {
    const { disruption, answers, signal } = asked;
    for (let round = 0; round < mostRounds; round += 1) {
      const verdict = decideDisruption(seen, disruption, { answers, now: this.#options.clock.now() });
      if ('may' in verdict || !seen)
        return 'may' in verdict ? verdict : { may: true, because: 'nothing is known of it' };
      await Promise.all(
        verdict.ask.map(async (question) =>
          answers.set(questionKey(question), await this.#put(question, seen, signal)),
        ),
      );
    }
    return { may: false, because: `it still asks after ${mostRounds} rounds` };
  }

  /** Decides once more from what the API server itself says, and notes that this member may go, on the object as it was read. */
  async #letGo(asked: Case, seen: CacheObservation): Promise<Decided> {
    const { client, clock } = this.#options;
    const { key, signal, disruption } = asked;
    const { namespace, name } = key;
    const resource = client(clusteredCaches).namespace(namespace);
    const { uid } = disruption.pod.metadata;
    for (let attempt = 0; attempt < mostTries; attempt += 1) {
      const cache = await resource.find(name, { signal });
      if (!cache) return { may: true, because: 'its ClusteredCache is gone' };
      const { items } = await client(pods)
        .namespace(namespace)
        .list({ labelSelector: selectorText(cacheSelector(name)), signal });
      const letGo = this.#reservations.standing(cache, clock);
      const verdict = await this.#decide(asked, { ...seen, cache, pods: items, letGo });
      if (!verdict.may || !verdict.serving || asked.dryRun) return verdict;
      const annotations = { [letGoAnnotation]: reservationText(uid, clock.now()) };
      const body = { metadata: { resourceVersion: cache.metadata.resourceVersion, annotations } };
      try {
        const noted = await resource.patch(name, { type: 'merge', body }, { fieldManager, signal });
        this.#reservations.standing(noted, clock); // Its time begins.
        return verdict;
      } catch (failure) {
        if (!isApiError(failure, 'Conflict')) throw failure;
      }
    }
    return { may: false, because: 'others write its ClusteredCache at the same time' };
  }

  /** Makes the Jobs that gates are asked by. That somebody else made one meanwhile is as good. */
  async #prepare(actions: readonly Action[], signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const events = { publish: () => undefined };
    try {
      await execute({ actions }, { client, clock, events, log: silentLogger, signal });
    } catch (failure) {
      if (!(failure instanceof ActionError && failure.code === 'Stale')) throw failure;
    }
  }

  async #put(question: Question, { cache }: CacheObservation, signal: AbortSignal): Promise<RolloutAnswer> {
    const check = checkFor(question, cache.spec);
    if (!check) return { ok: false, unknown: true, message: 'it can’t be asked' };
    const { namespace, name, ip } = question.of;
    const { probes, clock } = this.#options;
    const answer = await ask(
      check,
      { namespace, name, ...(ip === undefined ? {} : { ip }) },
      { probes, signal, clock },
    );
    return readAnswer(question, answer, cache.spec);
  }

  #podOf({ operation, resource, subResource, oldObject, namespace = '', name }: AdmissionRequest): Pod | undefined {
    if (resource.resource !== 'pods' || resource.group !== '') return undefined;
    if (operation === 'CREATE' && subResource === 'eviction' && name !== undefined)
      return this.#options.reader.get(pods, { namespace, name });
    return operation === 'DELETE' && oldObject ? (oldObject as KubernetesObject as Pod) : undefined; // Of resource pods.
  }
}

/** The cache to which a pod says it belongs. */
function cacheOf({ metadata }: Pod): ObjectKey | undefined {
  const { 'app.kubernetes.io/name': application, 'app.kubernetes.io/instance': name } = metadata.labels ?? {};
  return application === 'clustered-cache' && name !== undefined
    ? { namespace: metadata.namespace ?? '', name }
    : undefined;
}
