import type { Client, Clock, KubernetesObject, ObjectKey, Pod, ResourceDescriptor, StatefulSet } from '@ordinal/client';
import { isApiError, pods, statefulSets } from '@ordinal/client';
import type { CacheReader, OutsideCalls } from '@ordinal/runtime';
import { silentLogger } from '@ordinal/runtime';
import type { Action, ExecuteOptions } from '../decision/index.ts';
import { ActionError, execute } from '../decision/index.ts';
import type { Asking, Probes } from '../health-check/index.ts';
import type { Answers, MemberChecks, Question, RolloutAnswer } from '../rollout/index.ts';
import { askUntilDecided, putQuestion, questionKey } from '../rollout/index.ts';
import type { SealedStatuses } from '../seal/index.ts';
import type { Disruption, DisruptionDecision, DisruptionView } from './disruption.ts';
import { decideDisruption } from './disruption.ts';
import { LateAnswers } from './late-answers.ts';
import { ObservedReservations } from './observed-reservations.ts';
import { reservationText } from './reservation.ts';

/** What an owner's members are asked about with. */
export interface DisruptionContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly probes: Probes;
  /** The places to ask from, shared with the reconcilers. */
  readonly outside: OutsideCalls;
  /** The part of the owners that this installation keeps: the selector of its shard. Absent: all. */
  readonly shard?: string;
}

/** One request about a member, as it is worked on. */
export interface DisruptionRequest {
  readonly owner: ObjectKey;
  readonly disruption: Disruption;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** Protects the members of one kind of owner. */
export interface MemberProtection {
  /** The owner to which a pod says it belongs; undefined where it is no member of this kind. */
  ownerOf(pod: Pod): ObjectKey | undefined;
  /** Whether a pod is a member's, or may be, as far as is known without a question: what can't be decided about such a pod is a no. */
  mayBeMember(pod: Pod): boolean;
  /** A pod as the informers have it; undefined before they have begun. */
  seen(key: ObjectKey): Pod | undefined;
  /** Decides about a member that does not pass anyway. One that may go, and serves, is reserved on its owner. */
  judge(request: DisruptionRequest, context: DisruptionContext): Promise<DisruptionDecision>;
}

/** What was found around an owner. */
export interface FoundMembers {
  /** The StatefulSet of the owner's name, as the API server has it. */
  readonly set: StatefulSet | undefined;
  /** The pods that `memberSelector` selects, as the API server has them. */
  readonly pods: readonly Pod[];
  /** The UID of the member whose deletion was allowed last, while no other member may go down because of it. */
  readonly reserved: string | undefined;
}

/** An owner's members, and how they are asked. */
export interface ObservedMembers {
  readonly pods: readonly Pod[];
  readonly checks: MemberChecks;
  /** How the Jobs of gates are made. Absent: as they are. */
  readonly create?: ExecuteOptions<never>['create'];
  /** What is decided from; undefined where the owner is being deleted. Pure. */
  readonly view: (inputs: { readonly answers: Answers; readonly now: number }) => DisruptionView | undefined;
}

/** A kind whose members are protected. */
export interface ProtectedKind<Owner extends KubernetesObject> {
  readonly descriptor: ResourceDescriptor<Owner>;
  /** The informers of the kind's controller. */
  readonly reader: CacheReader;
  readonly statuses: Pick<SealedStatuses<Owner>, 'believed'>;
  /** The annotation of an owner that says which member was reserved last. */
  readonly reservationAnnotation: string;
  /**
   * The operator takes members down by changing their StatefulSet: a reservation is noted there as well. A change that was decided before, and that is under way while the owner shows nothing of it, meets a
   * conflict then.
   */
  readonly movesSet?: true;
  readonly ownerOf: (pod: Pod) => ObjectKey | undefined;
  /** Which of the pods that `ownerOf` names an owner for are its members: for a kind whose members bear no mark by which they are known. Absent: all. */
  readonly isMember?: (pod: Pod, owner: Owner) => boolean;
  /** Whether a pod bears a mark by which it is known for a member also where its owner is not seen. Absent: none does. */
  readonly isMarked?: (pod: Pod) => boolean;
  /** The label selector of an owner's members. */
  readonly memberSelector: (owner: Owner) => string;
  readonly observe: (owner: Owner, found: FoundMembers) => ObservedMembers;
}

/** Protects the members of a kind. One for as long as the process runs: it remembers since when it has seen each reservation. */
export function protect<Owner extends KubernetesObject>(kind: ProtectedKind<Owner>): MemberProtection {
  return new KindProtection(kind);
}

/** How often it may ask on: about sync, roles of those behind, of the member and of its peers, sync again, and gates, one after the other. More is an error of ours. */
const maxRounds = 10;

/** How often a reservation is tried while another client writes the same object. */
const maxTries = 4;

/** It has gone since the request was made, or what the API server says is older than the request. */
const notListed = 'the API server does not list it';

class KindProtection<Owner extends KubernetesObject> implements MemberProtection {
  readonly #kind: ProtectedKind<Owner>;
  readonly #reservations: ObservedReservations;
  readonly #late = new LateAnswers();

  constructor(kind: ProtectedKind<Owner>) {
    this.#kind = kind;
    this.#reservations = new ObservedReservations(kind.reservationAnnotation);
  }

  ownerOf(pod: Pod): ObjectKey | undefined {
    return this.#kind.ownerOf(pod);
  }

  mayBeMember(pod: Pod): boolean {
    const { isMember, isMarked, descriptor } = this.#kind;
    const key = this.ownerOf(pod);
    if (key === undefined || !isMember) return key !== undefined;
    const owner = this.#cached(descriptor, key);
    return owner === undefined ? isMarked?.(pod) === true : isMember(pod, owner);
  }

  seen(key: ObjectKey): Pod | undefined {
    return this.#cached(pods, key);
  }

  #cached<Resource extends KubernetesObject>(
    descriptor: ResourceDescriptor<Resource>,
    key: ObjectKey,
  ): Resource | undefined {
    try {
      return this.#kind.reader.get(descriptor, key);
    } catch {
      return undefined;
    }
  }

  async judge(request: DisruptionRequest, context: DisruptionContext): Promise<DisruptionDecision> {
    const { reader, descriptor } = this.#kind;
    this.#reservations.keepOnly((key) => reader.get(descriptor, key) !== undefined);
    return this.#reserve(request, context);
  }

  /** Decides from what the API server itself says, and notes that this member may go, on the object as it was read. */
  async #reserve(request: DisruptionRequest, context: DisruptionContext): Promise<DisruptionDecision> {
    const { client, clock } = context;
    const { owner: key, signal, dryRun, disruption } = request;
    const { metadata } = disruption.pod;
    const answers = new Map<string, RolloutAnswer>();
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      const owner = await this.#find(request, context);
      if (!owner) return { may: true, because: 'its owner is gone, or another installation keeps it' };
      if (this.#kind.isMember?.(disruption.pod, owner) === false) return { may: true, because: 'it is no member' };
      const { set, ...seen } = await this.#look(owner, request, context);
      if (!seen.pods.some(({ metadata: { uid } }) => uid === metadata.uid)) return { may: false, because: notListed };
      const put = this.#asking(owner, seen, { ...context, ...request });
      const verdict = await decide(seen, { ...request, answers, put }, clock);
      if (!verdict.may && verdict.actions && !dryRun) await prepare(verdict.actions, { signal, ...seen }, context);
      // What does not serve, or is lost already, needs no turn.
      if (!verdict.may || !verdict.serving || dryRun) return verdict;
      const annotations = { [this.#kind.reservationAnnotation]: reservationText(metadata, clock.now()) };
      const body = { metadata: { resourceVersion: owner.metadata.resourceVersion, annotations } };
      try {
        const resource = client(this.#kind.descriptor).namespace(key.namespace);
        const noted = await resource.patch(key.name, { type: 'merge', body }, { signal });
        this.#reservations.current(noted, clock); // Its time begins.
        // After the owner: anyone who has read the StatefulSet with it finds it on the owner too.
        if (set && this.#kind.movesSet === true) await noteOnSet(set, annotations, { client, signal });
        return verdict;
      } catch (failure) {
        if (!isApiError(failure, 'Conflict')) throw failure;
      }
    }
    return { may: false, because: `others write its ${this.#kind.descriptor.kind} at the same time` };
  }

  /** How its members are asked: where an answer has come too late for a request before, and nothing has changed since, that counts. */
  #asking(
    { metadata: { uid, generation = 0 } }: Owner,
    { pods: members, checks }: ObservedMembers,
    {
      clock,
      probes,
      outside,
      signal,
      disruption,
    }: DisruptionContext & Pick<DisruptionRequest, 'signal' | 'disruption'>,
  ): (question: Question) => Promise<RolloutAnswer> {
    // Of the member itself, the API server writes the condition by which it is evicted.
    const state = members.map((pod) =>
      pod.metadata.uid === disruption.pod.metadata.uid
        ? JSON.stringify(pod.status?.containerStatuses)
        : `${pod.metadata.uid}@${pod.metadata.resourceVersion}`,
    );
    return (question) => {
      const { namespace } = question.of;
      const ask = (until: AbortSignal): Promise<RolloutAnswer> => {
        const outsideCall: Asking['outside'] = (call) => outside.run(namespace, call, { signal: until });
        return putQuestion(question, checks, { probes, clock, signal: until, outside: outsideCall });
      };
      const key = [uid, generation, questionKey(question), ...state.sort()].join(' ');
      return this.#late.put(key, { ask, signal, clock });
    };
  }

  /** The owner as the API server has it now; undefined where there is none that this installation keeps. */
  async #find(
    { owner: { namespace, name }, signal }: DisruptionRequest,
    { client, clock, shard: labelSelector }: DisruptionContext,
  ): Promise<Owner | undefined> {
    const { descriptor, reader, statuses } = this.#kind;
    const owners = client(descriptor).namespace(namespace);
    const found = await owners.find(name, { signal });
    const owner = found && statuses.believed(found, { cache: reader, now: clock.now() });
    if (!owner || labelSelector === undefined || reader.get(descriptor, { namespace, name })) return owner;
    // It may belong to another shard.
    const { items } = await owners.list({ fieldSelector: `metadata.name=${name}`, labelSelector, signal });
    return items.length > 0 ? owner : undefined;
  }

  /** Looks at an owner's StatefulSet and members as the API server has them now. */
  async #look(
    owner: Owner,
    { owner: { namespace, name }, disruption: { pod }, signal }: DisruptionRequest,
    { client, clock }: DisruptionContext,
  ): Promise<ObservedMembers & Pick<FoundMembers, 'set'>> {
    const labelSelector = this.#kind.memberSelector(owner);
    const [set, members] = await Promise.all([
      client(statefulSets).namespace(namespace).find(name, { signal }),
      client(pods).namespace(namespace).list({ labelSelector, signal }),
    ]);
    // Its own state is that of the request.
    const present = members.items.map((member) => (member.metadata.uid === pod.metadata.uid ? pod : member));
    const reserved = this.#reservations.current(owner, clock);
    return { set, ...this.#kind.observe(owner, { set, pods: present, reserved }) };
  }
}

/** Notes a reservation on the StatefulSet as it was read. */
async function noteOnSet(
  { metadata: { namespace = '', name, resourceVersion } }: StatefulSet,
  annotations: Readonly<Record<string, string>>,
  { client, signal }: Pick<DisruptionContext, 'client'> & Pick<DisruptionRequest, 'signal'>,
): Promise<void> {
  const noted = { metadata: { annotations, resourceVersion } };
  await client(statefulSets).namespace(namespace).patch(name, { type: 'merge', body: noted }, { signal });
}

/** What was answered for a request, and how it asks on. */
interface Answering {
  readonly answers: Map<string, RolloutAnswer>;
  readonly put: (question: Question) => Promise<RolloutAnswer>;
}

/** Decides, and asks what has to be asked for it. */
async function decide(
  { view }: ObservedMembers,
  { disruption, answers, put }: Pick<DisruptionRequest, 'disruption'> & Answering,
  clock: Clock,
): Promise<DisruptionDecision> {
  const verdict = await askUntilDecided(
    {
      decide: () => decideDisruption(view({ answers, now: clock.now() }), disruption, clock.now()),
      ...{ put, maxRounds },
    },
    answers,
  );
  return verdict ?? { may: false, because: `it still asks after ${maxRounds} rounds` };
}

/** Makes the Jobs that gates are asked by. One that the operator itself made meanwhile is as good. */
async function prepare(
  actions: readonly Action[],
  { signal, create }: Pick<DisruptionRequest, 'signal'> & Pick<ObservedMembers, 'create'>,
  { client, clock }: DisruptionContext,
): Promise<void> {
  const events = { publish: () => undefined };
  try {
    const making = create ? { create } : {};
    await execute({ actions }, { client, clock, events, log: silentLogger, signal }, making);
  } catch (failure) {
    if (!(failure instanceof ActionError && failure.code === 'Stale')) throw failure;
  }
}
