import { Elector } from './elector.ts';
import type { ElectorOptions } from './elector.ts';
import { planSlots } from './slot-plan.ts';

/** The slot of a key: `namespace/name`. The same in every process, and for an object that is created again. */
export function slotOf(key: string, slots: number): number {
  if (slots === 1) return 0;
  // FNV-1a, and the last step of MurmurHash3: names that differ in a digit are spread over all slots.
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % slots;
}

/** Works on the keys of a slot until the signal is aborted, and resolves when that has come to its end. */
export type WorkOnSlot = (slot: number, leading: AbortSignal) => Promise<void>;

/**
 * Which keys this process may work on. With one slot it is one lease: who holds it works on all keys. With more, each has a lease, and the first lease is held by all replicas as a
 * group that goes by the number of slots: no replica works beside one that shares the keys in another way, as during an update.
 */
export class Leadership {
  readonly slots: number;
  readonly #first: Elector;
  /** One for each slot; of one slot, it is the first lease. */
  readonly #electors: readonly Elector[];

  constructor(options: ElectorOptions) {
    const { slots = 1, name, identity, leaseMs = 15_000 } = options;
    if (!Number.isInteger(slots) || slots < 1) throw new RangeError(`lease ${name}: ${slots} is no number of slots`);
    this.slots = slots;
    if (slots === 1) {
      this.#first = new Elector(options);
      this.#electors = [this.#first];
      return;
    }
    this.#first = new Elector({ ...options, identity: `${slots} slots`, isGroup: true });
    const planner = { identity, patienceMs: leaseMs };
    const plan = () =>
      planSlots(
        this.#electors.map(({ seen }) => seen),
        planner,
      );
    this.#electors = Array.from(
      { length: slots },
      (_, slot) => new Elector({ ...options, name: slotLease(name, slot), claim: () => plan()[slot] ?? 'leave' }),
    );
  }

  /** The slots that are this process's now. */
  get own(): readonly number[] {
    return [...this.#electors.keys()].filter((slot) => this.leads(slot));
  }

  /** Whether the slot is this process's now. */
  leads(slot: number): boolean {
    return this.#first.leads && this.#electors[slot]?.leads === true;
  }

  /** Throws a `RuntimeError` (`NotLeading`) unless the key's slot is this process's now. */
  permitWrite(key: string): void {
    this.#first.permitWrite();
    this.#electors[slotOf(key, this.slots)]?.permitWrite();
  }

  /** Takes part until the signal is aborted, and resolves when all work has come to its end. `work` is called each time that a slot becomes this process's. */
  async run(signal: AbortSignal, work: WorkOnSlot): Promise<void> {
    if (this.slots === 1) return await this.#first.run(signal, (leading) => work(0, leading));
    await this.#first.run(signal, async (together) => {
      await Promise.all(this.#electors.map((elector, slot) => elector.run(together, (own) => work(slot, own))));
    });
  }
}

/** The name of a slot's lease, beside the lease of this name. */
function slotLease(name: string, slot: number): string {
  return `${name}-slot-${slot}`;
}
