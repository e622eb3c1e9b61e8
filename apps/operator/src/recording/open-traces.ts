import type { Clock } from '@ordinal/client';
import type { Logger } from '@ordinal/runtime';
import type { TakeSlot } from '@ordinal/runtime/recording';
import { traceOf } from '@ordinal/runtime/recording';
import type { OperatorSettings } from '../configuration/settings.ts';

/** What traces are opened with. */
export interface TraceParts {
  readonly settings: Pick<OperatorSettings, 'otlpEndpoint'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly version: string;
  /** This process among its replicas. */
  readonly identity: string;
}

/** Traces that are sent to a collector. */
export interface OpenTraces {
  readonly take: TakeSlot;
  /** Sends what waits, and ends. */
  close(): Promise<void>;
}

/** The same failure is not logged again before so much time has passed, in milliseconds. */
const logAgainMs = 600_000;

/** Undefined where no collector is named; what sends is not loaded then. */
export async function openTraces(parts: TraceParts): Promise<OpenTraces | undefined> {
  const { settings, clock, log, version, identity } = parts;
  const { otlpEndpoint } = settings;
  if (otlpEndpoint === '') return undefined;
  const url = `${otlpEndpoint.replace(/\/+$/, '')}/v1/traces`;
  const { origin, pathname } = new URL(url);
  // A password and a query of the URL stay out of the log.
  const collector = `${origin}${pathname}`;
  let loggedAt = -Infinity;
  const onFailure = (error: unknown): void => {
    if (clock.now() - loggedAt < logAgainMs) return;
    loggedAt = clock.now();
    log.error({ collector, error: error instanceof Error ? error.message : String(error) }, 'traces can’t be sent');
  };
  const { SpanSender } = await import('./span-sender.ts');
  const sender = new SpanSender({ url, version, identity, onFailure });
  log.info({ collector }, 'reconciles are traced');
  return { take: (slot) => sender.send(traceOf(slot)), close: () => sender.close() };
}
