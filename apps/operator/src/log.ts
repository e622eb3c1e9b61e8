import type { Clock } from '@ordinal/client';
import type { Logger } from '@ordinal/runtime';
import { jsonLogger } from '@ordinal/runtime/observability';

/** How logs are written. */
export interface LogOptions {
  readonly clock: Clock;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'json' | 'text';
  /** Takes one line at a time, its end included. */
  readonly write: (line: string) => void;
}

/** A logger that writes JSON for machines, or a readable line for a person at a terminal. */
export function createLogger({ clock, level, format, write }: LogOptions): Logger {
  const destination = { write: format === 'json' ? write : (line: string) => write(`${readable(line)}\n`) };
  return jsonLogger({ clock, level, destination });
}

/** Fields that stand at the front of a readable line. */
const leading = new Set(['time', 'level', 'msg']);

/** `12:00:01 INFO  message key=value …` of a line of JSON. What is not JSON is left as it is. */
function readable(line: string): string {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(line) as Readonly<Record<string, unknown>>; // The logger writes objects.
  } catch {
    return line.trimEnd();
  }
  const { time, level, msg } = fields;
  const rest = Object.entries(fields)
    .filter(([key]) => !leading.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  return [clock, String(level).toUpperCase().padEnd(5), String(msg), ...rest].join(' ').trimEnd();
}
