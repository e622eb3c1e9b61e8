import { sleep, type Clock } from '@ordinal/client';
import type { Logger, Manager } from '@ordinal/runtime';

/** What is awaited, and the clock. */
export interface AnnounceOptions {
  readonly manager: Pick<Manager, 'readiness'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds since the process began, before any of our code ran. */
  readonly sinceStart: () => number;
}

/** How often readiness is looked at, in milliseconds: what `readyAfterMs` may be late by. */
const lookEveryMs = 10;

/** Says once in the log that everything is ready, and how long after its start the process was. Never rejects; an aborted signal ends it. */
export async function announceReady(options: AnnounceOptions, signal: AbortSignal): Promise<void> {
  const { manager, clock, log, sinceStart } = options;
  while (!signal.aborted) {
    if (manager.readiness().ready) {
      log.info({ readyAfterMs: Math.round(sinceStart()) }, 'ready');
      return;
    }
    await sleep(clock, lookEveryMs, signal).catch(() => undefined);
  }
}
