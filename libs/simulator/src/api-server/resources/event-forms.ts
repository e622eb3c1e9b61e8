import type { JsonObject } from '../request.ts';

/** The fields of events that are named differently in `v1` and in `events.k8s.io/v1`. */
const names: readonly (readonly [core: string, events: string])[] = [
  ['message', 'note'],
  ['involvedObject', 'regarding'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

const toEvents = new Map(names);
const toCore = new Map(names.map(([core, events]) => [events, core] as const));

const reporters: ReadonlySet<string> = new Set(['reportingComponent', 'reportingInstance']);

/** An event in the form of another group's version. */
export function convertEvent(event: JsonObject, apiVersion: string): JsonObject {
  const renamed = apiVersion === 'v1' ? toCore : toEvents;
  const result: JsonObject = {};
  for (const key in event) {
    // What one form has always, the other leaves out where it says nothing.
    if (renamed === toEvents && event[key] === '' && reporters.has(key)) continue;
    result[renamed.get(key) ?? key] = event[key];
  }
  return { ...result, apiVersion };
}
