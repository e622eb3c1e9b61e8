import type { Decision } from '@ordinal/lifecycle';
import { plan } from '@ordinal/lifecycle';
import type { ControllerDefinition, Logger, Reconcile } from '@ordinal/runtime';
import { awaitChange } from '@ordinal/runtime';
import { isWriteRefused } from './read-only.ts';

const timestamps = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** What a decision would do, line by line, save when it looks again. */
const linesOf = ({ lookAgainAt: _lookAgainAt, ...decision }: Decision): readonly string[] => plan(decision);

/**
 * The same controllers, whose decisions are logged and not carried out: each action with its reason, once for as long as it stays the same. In reserved namespaces nothing is
 * decided.
 */
export function decidingOnly(
  definitions: readonly ControllerDefinition[],
  { log, reserved }: { readonly log: Logger; readonly reserved: readonly string[] },
): readonly ControllerDefinition[] {
  return definitions.map((definition) => {
    const last = new Map<string, string>();
    const report = (place: { readonly namespace: string; readonly name: string }, lines: readonly string[]): void => {
      const key = `${place.namespace}/${place.name}`;
      // What is not written gets a new time in each decision.
      const text = lines.join('\n').replaceAll(timestamps, '');
      if (last.get(key) === text) return;
      if (lines.length === 0) last.delete(key);
      else last.set(key, text);
      for (const [index, would] of lines.entries())
        log.info({ controller: definition.name, ...place, step: index + 1, would }, 'a dry run: this would be done');
    };
    const reconcile: Reconcile = async (place, context) => {
      if (reserved.includes(place.namespace)) return awaitChange();
      const decided = (decision: object): boolean => {
        report(place, linesOf(decision as Decision)); // As `execute` takes it.
        return false;
      };
      try {
        return await definition.reconcile(place, { ...context, decided });
      } catch (error) {
        if (!isWriteRefused(error)) throw error;
        report(place, [error instanceof Error ? error.message : String(error)]);
        return awaitChange();
      }
    };
    return { ...definition, reconcile };
  });
}
