import { slotOf } from '../leadership/leadership.ts';

/** The time for which a controller works on the keys of one slot. */
export class Term {
  /** Aborted when no more work is begun. */
  readonly ending: AbortSignal;
  /** Aborts the work that is under way. */
  readonly abortWork = new AbortController();
  readonly #idle: (() => void)[] = [];
  #running = 0;

  constructor(ending: AbortSignal) {
    this.ending = ending;
  }

  /** Work on a key begins. */
  begin(): void {
    this.#running += 1;
  }

  /** Work on a key has ended. */
  end(): void {
    this.#running -= 1;
    if (this.#running === 0) for (const idle of this.#idle.splice(0)) idle();
  }

  /** Resolves when nothing is worked on. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}

/** Which slots a controller works on now, and the keys that wait for others. */
export class Terms {
  readonly #slots: number;
  readonly #terms = new Map<number, Term>();
  readonly #parked = new Map<number, Set<string>>();

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Whether there is a slot of which work may be begun. */
  get isOpen(): boolean {
    for (const { ending } of this.#terms.values()) if (!ending.aborted) return true;
    return false;
  }

  /** Whether the key is in this slot. */
  isIn(slot: number, key: string): boolean {
    return slotOf(key, this.#slots) === slot;
  }

  /** The term of the key's slot, while work of it may be begun. */
  openFor(key: string): Term | undefined {
    const term = this.#terms.get(slotOf(key, this.#slots));
    return term?.ending.aborted === false ? term : undefined;
  }

  /** Begins the term of a slot. */
  begin(slot: number, ending: AbortSignal): Term {
    const term = new Term(ending);
    this.#terms.set(slot, term);
    return term;
  }

  /** The term of a slot is over. */
  end(slot: number): void {
    this.#terms.delete(slot);
  }

  /** Keeps a key that is not to be worked on here now. */
  park(key: string): void {
    const slot = slotOf(key, this.#slots);
    const parked = this.#parked.get(slot) ?? new Set();
    this.#parked.set(slot, parked.add(key));
  }

  /** The keys of a slot that were kept. They are kept no longer. */
  unpark(slot: number): Iterable<string> {
    const parked = this.#parked.get(slot) ?? [];
    this.#parked.delete(slot);
    return parked;
  }
}
