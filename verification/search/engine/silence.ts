import { readFileSync } from 'node:fs';

/** How much CPU time a process may take without a word, in milliseconds. No history takes a tenth of this. */
const silenceMs = 180_000;

/** Linux counts CPU time in hundredths of a second. */
const tickMs = 10;

/** How much CPU time a process has taken, in milliseconds. Only Linux says so; elsewhere it is the time that has passed, and a busy machine counts as the process. */
export function spentMs(pid: number | undefined): number {
  try {
    // The name of the program comes second, in brackets, and may hold spaces.
    const fields =
      readFileSync(`/proc/${pid ?? '-'}/stat`, 'utf8')
        .split(') ')
        .at(-1)
        ?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return performance.now();
  }
}

/**
 * Whether a process has worked for so long without a word that none is to be expected. It is its own time that counts: one that a busy machine gives none is slow, and does
 * what it should.
 */
export class Silence {
  private readonly spent: () => number;
  private heardAt: number;

  /** `spent`: how much CPU time the process has taken so far, in milliseconds. */
  constructor(spent: () => number) {
    this.spent = spent;
    this.heardAt = spent();
  }

  /** The process has said something. */
  heard(): void {
    this.heardAt = this.spent();
  }

  /** Why nothing more is to be expected; undefined as long as something is. */
  get verdict(): string | undefined {
    return this.spent() - this.heardAt < silenceMs ? undefined : `nothing for ${silenceMs / 1_000} s of its CPU time`;
  }
}
