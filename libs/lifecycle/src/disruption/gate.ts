import type { KubernetesObject, ObjectKey, Pod } from '@ordinal/client';
import { joinSignals, pods } from '@ordinal/client';
import type { AdmissionRequest, Verdict } from '@ordinal/runtime/webhooks';
import type { DisruptionDecision } from './disruption.ts';
import { passesAnyway } from './disruption.ts';
import type { DisruptionContext, MemberProtection } from './protection.ts';

/** What the gate works with. */
export interface DisruptionGateOptions extends DisruptionContext {
  /** The kind whose members are protected. */
  readonly protection: MemberProtection;
  /** The operator's own user name: `system:serviceaccount:ordinal-system:ordinal-operator`. */
  readonly operator: string;
}

/** The API server waits five seconds, and lets the pod through after it: an answer has to be there before. */
const answerWithinMs = 4_000;

/**
 * The webhook on the deletion and the eviction of pods. While a gate is closed it answers 429, which `kubectl drain` tries again.
 *
 * **Guarantees.** Of all requests at the same time, at whichever replicas, one may delete a member. It is noted on the owner as it was read from the API
 * server, with its StatefulSet and the members: no pod may be deleted because of what was true earlier. The exception is a check that takes longer than the API server waits: its answer counts
 * for the next requests, fifteen seconds at most, while owner and members are as they were. The operator's own upgrade takes part, since it writes the
 * status of the same object before it takes a member down. What can't be decided or noted in time is refused with 429: the request is made again.
 *
 * **Caveats.** An eviction names a pod and no more. Where the pod can't be read, one that was never seen as a member's passes: no other pods may depend
 * on the operator. The Jobs of gates are seen through the informers: one that has not been seen yet is a no.
 */
export class DisruptionGate {
  readonly #options: DisruptionGateOptions;

  constructor(options: DisruptionGateOptions) {
    this.#options = options;
  }

  /** Answers a request to delete or evict a pod; every other one is allowed. */
  async admit(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict> {
    const target = targetOf(request);
    if (!target) return { allowed: true };
    const { client, operator, protection } = this.#options;
    let { pod } = target;
    const verdict = await this.#inTime(signal, async (until) => {
      pod ??= await client(pods).namespace(target.namespace).find(target.name, { signal: until });
      const owner = pod && protection.ownerOf(pod);
      if (!pod || !owner) return { may: true, because: 'it is no member' };
      const disruption = { pod, requester: request.userInfo.username ?? '', operator };
      const because = passesAnyway(disruption);
      if (because !== undefined) return { may: true, because };
      return protection.judge({ owner, disruption, dryRun: request.dryRun ?? false, signal: until }, this.#options);
    });
    if (verdict.may) return { allowed: true };
    const why = `${verdict.because}. Try again later.`;
    return pod && !verdict.isUndecided ? refused(pod, why) : this.#refused(pod ?? protection.seen(target), why);
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
      pod ?? this.#options.protection.seen(target),
      `the operator can’t tell now (${why}). Try again in a few seconds.`,
    );
  }

  /** A no, where the pod is a member's as far as is known. */
  #refused(pod: Pod | undefined, because: string): Verdict {
    return pod && this.#options.protection.mayBeMember(pod) ? refused(pod, because) : { allowed: true };
  }

  /** What is not decided in time, or fails, is a no. */
  async #inTime(signal: AbortSignal, judge: (signal: AbortSignal) => Promise<DisruptionDecision>): Promise<Judged> {
    const over = new AbortController();
    const late = new Promise<Judged>((resolve) => {
      over.signal.addEventListener('abort', () =>
        resolve(undecided(`it could not be decided within ${answerWithinMs / 1000} s`)),
      );
    });
    const timer = this.#options.clock.after(answerWithinMs, () => over.abort());
    const either = joinSignals(signal, over.signal);
    const judged = judge(either.signal).catch((failure: unknown): Judged =>
      undecided(`it could not be decided: ${failure instanceof Error ? failure.message : String(failure)}`),
    );
    try {
      return await Promise.race([late, judged]);
    } finally {
      timer.cancel();
      either.release();
    }
  }
}

/** A decision; `isUndecided`: it is a no because none could be made. */
type Judged = DisruptionDecision & { readonly isUndecided?: true };

const undecided = (because: string): Judged => ({ may: false, because, isUndecided: true });

function refused({ metadata: { name } }: Pod, because: string): Verdict {
  const message = `${name} may not go down yet: ${because}`;
  return { allowed: false, code: 429, reason: 'TooManyRequests', message };
}

/** The pod that a request deletes or evicts, with the object where the request has it. Undefined where a request is about something else. */
function targetOf(request: AdmissionRequest): (ObjectKey & { readonly pod?: Pod }) | undefined {
  const { operation, resource, subResource, oldObject, namespace = '', name } = request;
  if (resource.resource !== 'pods' || resource.group !== '') return undefined;
  if (operation === 'CREATE' && subResource === 'eviction' && name !== undefined) return { namespace, name };
  if (operation !== 'DELETE' || !oldObject) return undefined;
  return { namespace, name: oldObject.metadata.name, pod: oldObject as KubernetesObject as Pod }; // Of resource pods.
}
