import type { Clock } from '@ordinal/client';
import { pino } from 'pino';
import type { DestinationStream } from 'pino';
import type { Logger } from '../reconciler.ts';

/** How logs are written. */
export interface JsonLoggerOptions {
  readonly clock: Clock;
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  /** Stands in each line. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Standard output by default. */
  readonly destination?: DestinationStream;
}

/** A logger that writes a JSON object for each line, with the time in `time` (RFC 3339) and the level's name in `level`. */
export function jsonLogger({ clock, level = 'info', fields = {}, destination }: JsonLoggerOptions): Logger {
  const options = {
    level,
    base: { ...fields },
    timestamp: (): string => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string): object => ({ level: label }) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
