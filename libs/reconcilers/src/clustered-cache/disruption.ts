import type { Clock, KubernetesObject, ObjectKey, Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { CacheReader } from '@ordinal/runtime';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import type { Probes } from '../health-check/index.ts';
import { ask } from '../health-check/index.ts';
import type { Question, RolloutAnswer } from '../rollout/index.ts';
import { closedGates, questionKey } from '../rollout/index.ts';
import type { CacheObservation } from './observe.ts';
import { observe } from './observe.ts';
import { checkFor, readAnswer } from './questions.ts';
import type { Moment } from './rollout-observation.ts';
import { observeRollout } from './rollout-observation.ts';
import { wantedTemplate } from './template.ts';

/** Somebody wants a pod gone. */
export interface Disruption {
  readonly pod: Pod;
  /** The name of the user who asks. */
  readonly requester: string;
  /** The operator's own user name. */
  readonly operator: string;
}

/** Whether a pod may go, and why; or what must be asked before that can be said. */
export type DisruptionVerdict =
  | {
      readonly may: true;
      readonly because: string;
      /** It serves, and its gates are open: the only one for now. */ readonly serving?: true;
    }
  | { readonly may: false; readonly because: string }
  | { readonly ask: readonly Question[] };

/** Controllers that clean up what is lost already: refusing them saves nobody. */
const cleaners: ReadonlySet<string> = new Set(
  [
    'generic-garbage-collector',
    'namespace-controller',
    'pod-garbage-collector',
    'node-controller',
    'taint-eviction-controller',
  ].map((name) => `system:serviceaccount:kube-system:${name}`),
);

const may = (because: string): DisruptionVerdict => ({ may: true, because });

/**
 * Decides whether a pod may be deleted or evicted now: the gate that an upgrade asks, for everybody else. Pure.
 *
 * **Guarantees.** A pod that terminates already passes, and so does one that serves nobody, one that nobody wants any more, and everything of a cache
 * that is gone or going: the gate never keeps a deletion from coming to its end. Gates that are Jobs are not asked here, because a webhook has no
 * side effects.
 */
export function decideDisruption(
  seen: CacheObservation | undefined,
  { pod, requester, operator }: Disruption,
  moment: Moment,
): DisruptionVerdict {
  const { metadata } = pod;
  if (metadata.deletionTimestamp !== undefined) return may('it terminates already');
  if (requester === operator) return may('the operator has asked the gate itself');
  if (cleaners.has(requester) || requester.startsWith('system:node:')) return may('it is lost already');
  if (!seen || seen.cache.metadata.deletionTimestamp !== undefined) return may('its ClusteredCache is gone or going');
  const all = observeRollout(seen, {
    ...moment,
    wanted: wantedTemplate(seen.cache, seen.children.set),
    childrenPending: false,
  });
  const rollout = { ...all, gates: all.gates.filter(({ target }) => target !== 'Once') };
  const member = rollout.members.find(({ uid }) => uid === metadata.uid);
  if (!member) return may('it is no member');
  if (member.ordinal >= rollout.wantedReplicas) return may('it is wanted no more');
  if (!member.ready) return may('it serves nobody');
  if (rollout.openedFor === member.uid) return may('somebody has opened its gates by hand');
  const peers = Array.from({ length: rollout.replicas }, (_, ordinal) => ordinal).filter(
    (ordinal) => ordinal !== member.ordinal,
  );
  const down = peers.find((ordinal) => !rollout.members.some((peer) => peer.ordinal === ordinal && peer.ready));
  if (down !== undefined) return { may: false, because: `its peer ${seen.cache.metadata.name}-${down} is not ready` };
  const closed = closedGates(member, rollout, moment.now);
  if (!closed) return { may: true, because: 'every gate is open', serving: true };
  if ('ask' in closed) return closed;
  return { may: false, because: closed.outcome.blockedBy ?? closed.outcome.message };
}

/** What the gate works with. */
export interface DisruptionGateOptions {
  readonly reader: CacheReader;
  readonly probes: Probes;
  readonly clock: Clock;
  /** The operator's own user name: `system:serviceaccount:ordinal-system:ordinal-operator`. */
  readonly operator: string;
}

/** How long one member that was let go keeps the others of its cache from being let go too, in milliseconds, until it is seen to terminate. */
const reservationMs = 10_000;

/** How often it may ask on; more is an error of ours, and lets the pod through. */
const mostRounds = 5;

/**
 * The webhook on the deletion and the eviction of pods. While a gate is closed it answers 429, which `kubectl drain` tries again. Of two requests at the
 * same time, the second waits until the first pod has gone and come back.
 */
export class DisruptionGate {
  readonly #options: DisruptionGateOptions;
  readonly #letGo = new Map<string, { readonly uid: string; readonly until: number }>();

  constructor(options: DisruptionGateOptions) {
    this.#options = options;
  }

  /** Answers a request to delete or evict a pod; every other one is allowed. */
  async admit(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> {
    const pod = this.#podOf(request);
    const key = pod && cacheOf(pod);
    if (!pod || !key) return { allowed: true };
    const disruption = { pod, requester: request.userInfo.username ?? '', operator: this.#options.operator };
    const verdict = await this.#decide(key, disruption, signal);
    if (verdict.may && (!verdict.serving || this.#reserve(key, pod, request.dryRun ?? false))) return { allowed: true };
    const because = verdict.may ? 'another member has just been let go' : verdict.because;
    const message = `${pod.metadata.name} may not go down yet: ${because}. Try again later.`;
    return { allowed: false, code: 429, reason: 'TooManyRequests', message };
  }

  async #decide(
    key: ObjectKey,
    disruption: Disruption,
    signal: AbortSignal,
  ): Promise<Exclude<DisruptionVerdict, { readonly ask: unknown }>> {
    const { reader, clock } = this.#options;
    const seen = observe(key, reader);
    const answers = new Map<string, RolloutAnswer>();
    for (let round = 0; round < mostRounds; round += 1) {
      const verdict = decideDisruption(seen, disruption, { answers, now: clock.now() });
      if ('may' in verdict) return verdict;
      if (!seen) break;
      await Promise.all(
        verdict.ask.map(async (question) =>
          answers.set(questionKey(question), await this.#put(question, seen, signal)),
        ),
      );
    }
    throw new Error(`the gate of ${key.namespace}/${key.name} still asks after ${mostRounds} rounds`);
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

  /** Whether the pod is the one that may go now; if so, the others of its cache wait until it is seen to terminate. */
  #reserve({ namespace, name }: ObjectKey, pod: Pod, dryRun: boolean): boolean {
    const place = `${namespace}/${name}`;
    const { clock } = this.#options;
    const { uid } = pod.metadata;
    const held = this.#letGo.get(place);
    if (held && held.uid !== uid && clock.now() < held.until) return false;
    if (dryRun) return true;
    const until = clock.now() + reservationMs;
    this.#letGo.set(place, { uid, until });
    clock.after(reservationMs, () => {
      if (this.#letGo.get(place)?.until === until) this.#letGo.delete(place);
    });
    return true;
  }
}

/** The cache to which a pod says it belongs. */
function cacheOf({ metadata }: Pod): ObjectKey | undefined {
  const { 'app.kubernetes.io/name': application, 'app.kubernetes.io/instance': name } = metadata.labels ?? {};
  return application === 'clustered-cache' && name !== undefined
    ? { namespace: metadata.namespace ?? '', name }
    : undefined;
}
