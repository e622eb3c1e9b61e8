import type { Client, Clock, Instant } from '@ordinal/client';
import type { Surroundings } from '../cluster/surroundings.ts';
import type { MemberAnswer } from './ask-members.ts';
import { askMembers } from './ask-members.ts';
import { isReady } from './is-ready.ts';

/** What the gates of a resource have said, and when they were asked. */
export interface GateAnswers {
  readonly askedAt: Instant;
  readonly answers: readonly MemberAnswer[];
}

/** What members are asked with. */
export interface GateAsking {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How old an answer is when the gates are asked again, in milliseconds. */
export const gatesAskedEveryMs = 10_000;

/** Asks the gates of a resource once: its ready members by GET, through the API server. Never rejects. */
export async function askGates(
  { resource, members }: Pick<Surroundings, 'resource' | 'members'>,
  { client, clock, signal }: GateAsking,
): Promise<GateAnswers> {
  const askedAt = clock.now();
  const ready = members.flatMap(({ object }) => (isReady(object) ? [object] : []));
  return { askedAt, answers: await askMembers(resource, ready, { client, signal, roles: ['gate'] }) };
}

interface Known {
  last?: GateAnswers;
  isAsked: boolean;
}

/**
 * What gates have said last, of the resources that are looked at. It has no timer: each look at an answer that has grown old asks again, and who looks goes on with the old one. The
 * members of a resource are asked once at a time, however many look.
 */
export class GateAsker {
  readonly #asking: GateAsking;
  readonly #known = new Map<string, Known>();
  #revision = 0;

  constructor(asking: GateAsking) {
    this.#asking = asking;
  }

  /** Grows with each answer. */
  get revision(): number {
    return this.#revision;
  }

  /** What the gates have said last; undefined until they have answered. Asks them where that is due. */
  last(around: Pick<Surroundings, 'resource' | 'members'>): GateAnswers | undefined {
    const { uid } = around.resource.metadata;
    const known: Known = this.#known.get(uid) ?? { isAsked: false };
    this.#known.set(uid, known);
    const { last, isAsked } = known;
    if (!isAsked && (!last || this.#asking.clock.now() - last.askedAt >= gatesAskedEveryMs)) {
      known.isAsked = true;
      void askGates(around, this.#asking).then((answers) => {
        known.last = answers;
        known.isAsked = false;
        this.#revision += 1;
      });
    }
    return last;
  }
}
