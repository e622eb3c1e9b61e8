import type { RecordedHistory } from '@ordinal/explorer';
import { CommandError, exitCodes } from '../failure.ts';

const fields = ['entries', 'changes', 'faults', 'violations'] as const;

/** Reads a history that was recorded. Throws a `CommandError` where the text is none. */
export function historyIn(text: string): RecordedHistory {
  const wrong = (why: string): CommandError =>
    new CommandError(`the file is no recorded history: ${why}`, exitCodes.usage);
  let value: Partial<RecordedHistory> | null;
  try {
    value = JSON.parse(text) as Partial<RecordedHistory> | null; // Its format says what it is.
  } catch (error) {
    throw wrong((error as SyntaxError).message);
  }
  if (value?.format !== 'ordinal-history/1') throw wrong('its format has to be ordinal-history/1');
  const missing = fields.find((name) => !Array.isArray(value[name]));
  if (missing !== undefined) throw wrong(`${missing} has to be a list`);
  return value as RecordedHistory; // Of its format.
}
