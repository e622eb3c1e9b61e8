import type { Instant, KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { sameJson } from '@ordinal/client';
import type { ReconcileContext, Result } from '@ordinal/runtime';
import { hasFinalizer, requeueAfter } from '@ordinal/runtime';
import type { Decision, ExecutionContext, SealStatus } from '../decision/index.ts';
import { execute } from '../decision/index.ts';
import type { SealedItem } from './seal.ts';
import type { Sealer, Seals } from './seals.ts';
import { sealerOf } from './seals.ts';
import { Verdicts } from './verdicts.ts';

/** An object whose status the operator seals. */
type Sealed = KubernetesObject & {
  readonly status?: object & { readonly seal?: string; readonly jobsSealed?: boolean };
};

/** What a kind does about a status that can't be verified. */
export interface Memory<Read extends Sealed> {
  readonly descriptor: ResourceDescriptor<Read>;
  /** On an object before anything of its status is relied on. */
  readonly finalizer: string;
  /** The kind makes Jobs, which are sealed (`SealedJobs`): each status says so, in `jobsSealed`. */
  readonly makesJobs?: true;
  /**
   * What is to be remembered of an object of which nothing that stands in its status is known: what can be derived from what is observed, and for the rest what does no
   * harm where the worst had been true.
   */
  readonly forget: (object: Read, context: Pick<ReconcileContext, 'cache'> & { readonly now: Instant }) => object;
}

/** Larger ones are not the operator's, in characters: so much is not hashed for anyone. */
const longestStatus = 1_048_576;

/** How long after a status was replaced the object is looked at again, in milliseconds: a client that writes it again and again gets no more than that. */
const pauseMs = 1_000;

/** How often the same is reported, in milliseconds. */
const reportEveryMs = 600_000;

/** All that a status says, but for its conditions, which nothing is decided by, and the seal itself. */
function itemOf(status: object | undefined): SealedItem {
  const { seal: _seal, conditions: _conditions, ...remembered } = (status ?? {}) as Readonly<Record<string, unknown>>; // Read by name.
  return { purpose: 'status', item: remembered };
}

const isEmpty = ({ item }: SealedItem): boolean => Object.keys(item as object).length === 0; // As made above.

/** Whether the operator itself has sealed the status of an object as it stands. */
export function isSealed(
  { metadata, status }: Sealed,
  { seals, descriptor }: { readonly seals: Seals; readonly descriptor: ResourceDescriptor },
): boolean {
  const item = itemOf(status);
  if (status?.seal === undefined || JSON.stringify(item).length > longestStatus) return false;
  return sealerOf(seals, { descriptor, metadata }).holds(item, status.seal);
}

/**
 * Keeps the statuses of a kind true: what the operator remembers in one is sealed as it is written, and believed only while the seal holds.
 *
 * **Guarantees.** A status that another client has written, changed, emptied, or brought from another object decides nothing: before anything else is decided, it is
 * replaced by what can be found out, and that is reported by an event and a metric. What follows from a status that is not believed is never sealed.
 *
 * **Caveats.** A seal proves who wrote a status, not when: anyone who may write statuses can bring back an earlier one of the same object.
 */
export class SealedStatuses<Read extends Sealed> {
  readonly #memory: Memory<Read>;
  readonly #seals: Seals;
  readonly #verdicts = new Verdicts();

  constructor(memory: Memory<Read>, seals: Seals) {
    this.#memory = memory;
    this.#seals = seals;
  }

  /** The sealer of one object, for what of it is remembered elsewhere. */
  sealer({ metadata }: KubernetesObject): Sealer {
    return sealerOf(this.#seals, { descriptor: this.#memory.descriptor, metadata });
  }

  /** Whether the operator itself has written this status, or has not had anything to write yet. */
  trusts(object: Sealed): boolean {
    const isHeld = hasFinalizer(object, this.#memory.finalizer);
    // Nothing is decided about it any more.
    if (!isHeld && object.metadata.deletionTimestamp !== undefined) return true;
    if (object.status?.seal === undefined) return !isHeld && isEmpty(itemOf(object.status));
    return this.#isSealed(object);
  }

  /** The status as it is to be written on this object: sealed, unless it follows from one that is not believed. */
  readonly sealed: SealStatus = ({ object, status, fromScratch }) => {
    const { seal: _seal, ...rest } = status as Sealed['status'] & object; // A status may have one.
    if (fromScratch !== true && !this.trusts(object as Sealed)) return rest; // Read with care.
    const said = { ...rest, ...(this.#memory.makesJobs ? { jobsSealed: true } : {}) };
    return { ...said, seal: this.#sealOf(object as Sealed, itemOf(said)) };
  };

  /** The seal of an item on this object: the one that it has where the item is the same, which no other key could have made. */
  #sealOf(object: Sealed, item: SealedItem): string {
    const { status } = object;
    const isSame = status?.seal !== undefined && this.#seals.keys().length === 1 && sameJson(item, itemOf(status));
    return isSame && this.#isSealed(object) ? status.seal : this.sealer(object).sign(item);
  }

  #isSealed(object: Sealed): boolean {
    const by = { seals: this.#seals, descriptor: this.#memory.descriptor };
    return this.#verdicts.of(object, this.#seals.keys(), () => isSealed(object, by));
  }

  /** Whether a status that is trusted was written by a version of the operator that sealed no Jobs: they are to be sealed before a status is written (`OwnJobs.adopt`). */
  predatesSealedJobs({ status }: Sealed): boolean {
    return this.#memory.makesJobs === true && status?.seal !== undefined && status.jobsSealed !== true;
  }

  /** The object, with what is known where its status is not believed. */
  believed(object: Read, context: Parameters<Memory<Read>['forget']>[1]): Read {
    return this.trusts(object) ? object : { ...object, status: this.#memory.forget(object, context) };
  }

  /** Replaces a status that is not believed. To be called, and nothing else done, where `trusts` says no. */
  async putRight(object: Read, context: ExecutionContext & Pick<ReconcileContext, 'cache'>): Promise<Result> {
    await this.#seals.renew?.();
    if (this.trusts(object)) return requeueAfter(0);
    const now = context.clock.now();
    this.#seals.mistrusted?.(this.#memory.descriptor.kind);
    const decision = this.#startOver(object, { cache: context.cache, now });
    return execute({ ...decision, lookAgainAt: now + pauseMs }, context, { seal: this.sealed });
  }

  #startOver(object: Read, context: Parameters<Memory<Read>['forget']>[1]): Decision {
    const { descriptor, forget } = this.#memory;
    const { conditions } = (object.status ?? {}) as { readonly conditions?: unknown }; // Of every kind.
    const kept = conditions === undefined ? {} : { conditions };
    return {
      status: { descriptor, object, status: { ...forget(object, context), ...kept }, fromScratch: true },
      actions: [],
      events: [
        {
          type: 'Warning',
          reason: 'StatusNotVerified',
          atMostEveryMs: reportEveryMs,
          note: 'the seal of the status is missing or wrong: the operator ignores the status, and finds out again what it said',
        },
      ],
    };
  }
}
