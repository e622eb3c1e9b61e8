import type { Instant } from '@ordinal/client';

/** Longer ago than a control plane remembers anything of. */
const memory = 100_000;

/**
 * Maps the machine's time to the time of a world's own clock. A real control plane dates what it writes by the machine's clock, and the world around
 * it runs ahead of that.
 */
export class Timeline {
  private readonly notes: { readonly wall: Instant; readonly own: Instant }[] = [];

  /** Notes what both clocks show now. */
  note(wall: Instant, own: Instant): void {
    this.notes.push({ wall, own });
    if (this.notes.length > memory) this.notes.splice(0, memory >> 1);
  }

  /** What the world's clock showed when the machine's showed this; in the future both go on side by side. */
  ownAt(wall: Instant): Instant {
    const next = this.notes.findIndex((note) => note.wall > wall);
    const last = next < 0 ? this.notes.at(-1) : this.notes[Math.max(0, next - 1)];
    if (last === undefined) return wall;
    const limit = next < 1 ? Infinity : (this.notes[next]?.own ?? Infinity);
    return Math.min(last.own + wall - last.wall, limit);
  }
}
