import type { KubernetesObject } from '@ordinal/client';
import type { SealKey } from './seal.ts';

interface Verdict {
  readonly metadata: KubernetesObject['metadata'];
  readonly keys: readonly SealKey[];
  readonly holds: boolean;
}

/**
 * Which statuses have been verified. An object of a cache is frozen and looked at many times; to hash its status each time is most of what a reconcile without a
 * change costs.
 *
 * **Guarantees.** A verdict is given again only for the same status in the same object, frozen, and with the same keys. It is kept no longer than the status is.
 */
export class Verdicts {
  readonly #known = new WeakMap<object, Verdict>();

  /** What `verify` has said about this status, or says now. */
  of({ status, metadata }: Sealable, keys: readonly SealKey[], verify: () => boolean): boolean {
    if (status === undefined) return verify();
    const known = this.#known.get(status);
    if (known?.metadata === metadata && sameKeys(known.keys, keys)) return known.holds;
    const holds = verify();
    // What is not frozen may be another status the next time.
    if (Object.isFrozen(status) && Object.isFrozen(metadata)) this.#known.set(status, { metadata, keys, holds });
    return holds;
  }
}

interface Sealable {
  readonly metadata: KubernetesObject['metadata'];
  readonly status?: object;
}

/** Whether two lists have the same keys in the same order. */
export function sameKeys(left: readonly SealKey[], right: readonly SealKey[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}
