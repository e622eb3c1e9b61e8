import type { Clock, Timer } from '@ordinal/client';

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly action: () => void;
}

/** A clock that moves only when the test moves it. */
export class VirtualClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');
  #order = 0;
  readonly #entries = new Set<Entry>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, action: () => void): Timer {
    const entry: Entry = { due: this.#now + delayMs, order: (this.#order += 1), action };
    this.#entries.add(entry);
    return { cancel: () => this.#entries.delete(entry) };
  }

  /** Moves on, timer by timer, and lets everything that each of them causes come to rest. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const next = [...this.#entries]
        .filter(({ due }) => due <= end)
        .sort((a, b) => a.due - b.due || a.order - b.order)[0];
      if (next === undefined) break;
      this.#entries.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.action();
      await settled();
    }
    this.#now = end;
    await settled();
  }
}

/** Lets all promises that can go on go on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
