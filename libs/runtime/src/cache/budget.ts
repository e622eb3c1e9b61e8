/** How much the caches of a manager may hold, in bytes of JSON. */
export interface CacheLimits {
  /** An object that is larger, after everything was dropped that is not read, is not kept. */
  readonly objectBytes: number;
  /** Once all caches hold so much, objects of more than 16 KiB are not kept any more. */
  readonly totalBytes: number;
}

/** Half a MiB for an object, 128 MiB for all. An object takes two to three times its JSON in memory. */
export const defaultLimits: CacheLimits = { objectBytes: 512 * 1024, totalBytes: 128 * 1024 * 1024 };

/** What everyone may have, however full the caches are: quotas bound the number of objects. */
const smallBytes = 16 * 1024;

/** What all caches of a manager hold together. */
export class CacheBudget {
  readonly #limits: CacheLimits;
  #held = 0;

  constructor(limits: CacheLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** Whether an object of this size may be kept beside all others. */
  admits(bytes: number): boolean {
    if (bytes > this.#limits.objectBytes) return false;
    return bytes <= smallBytes || this.#held + bytes <= this.#limits.totalBytes;
  }

  /** So many bytes are held more, or, where negative, less. */
  add(bytes: number): void {
    this.#held += bytes;
  }
}
