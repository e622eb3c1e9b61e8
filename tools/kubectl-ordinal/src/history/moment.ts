import type { RecordedChange, RecordedHistory } from '@ordinal/explorer';
import type { Instant, KubernetesObject } from '@ordinal/client';
import type { Contents } from '../cluster/contents.ts';
import { contentsOf } from '../cluster/contents.ts';
import type { PartyShown } from '../console/wire.ts';

const placeOf = ({ kind, object: { metadata } }: RecordedChange): string =>
  `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

/** The last change of each object, of those that came before so many entries of the trace. */
function lastChanges({ changes }: RecordedHistory, step: number): ReadonlyMap<string, RecordedChange> {
  const last = new Map<string, RecordedChange>();
  for (const change of changes) if (change.entry < step) last.set(placeOf(change), change);
  return last;
}

/** When a step is, in milliseconds since 1970. */
export const instantOfStep = ({ entries, startedAt }: RecordedHistory, step: number): Instant =>
  entries[Math.max(0, step - 1)]?.at ?? startedAt;

/** What was there after so many entries of the trace. Pure. */
export function contentsAt(history: RecordedHistory, step: number): Contents {
  const objects = new Map<string, KubernetesObject[]>();
  for (const { isDeleted, object } of lastChanges(history, step).values()) {
    if (isDeleted) continue;
    const known = objects.get(object.kind) ?? [];
    known.push(object);
    objects.set(object.kind, known);
  }
  return contentsOf(objects, []);
}

type Known = PartyShown['known'][number];

/** What a party was sent since it was started. */
interface Inbox {
  isRunning: boolean;
  /** Where it was started: it lists everything then. */
  listedAt: number;
  /** The last change of each object that it was sent, by the object's place. */
  readonly received: Map<string, RecordedChange>;
}

const receives = (history: RecordedHistory): ReadonlyMap<string, ReadonlySet<string>> => {
  const kinds = new Map<string, Set<string>>();
  for (const { actor, action, subject } of history.entries)
    if (action === 'receive') kinds.set(actor, (kinds.get(actor) ?? new Set()).add(subject));
  return kinds;
};

const pluralOf = ({ kind }: RecordedChange): string => kind.split('.')[0] ?? '';

/** Which change an event was of: the trace has the type, the plural and the version of it, and for most the name. */
type Sent = (type: string, plural: string, name: string, version: string) => RecordedChange | undefined;

function sentIn({ changes }: RecordedHistory): Sent {
  const byVersion = new Map<string, RecordedChange>();
  const deletions = new Map<string, RecordedChange>();
  for (const change of changes) {
    const { metadata } = change.object;
    if (change.isDeleted) deletions.set(`${pluralOf(change)} ${metadata.uid}`, change);
    else byVersion.set(`${pluralOf(change)} ${metadata.resourceVersion}`, change);
  }
  const deletionOf = (plural: string, name: string, version: string): RecordedChange | undefined => {
    const last = byVersion.get(`${plural} ${version}`);
    if (last) return deletions.get(`${plural} ${last.object.metadata.uid}`);
    const isIt = ({ object: { metadata } }: RecordedChange): boolean =>
      metadata.resourceVersion === version || metadata.name === name;
    return [...deletions.values()].findLast((change) => pluralOf(change) === plural && isIt(change));
  };
  return (type, plural, name, version) =>
    type === 'DELETED' ? deletionOf(plural, name, version) : byVersion.get(`${plural} ${version}`);
}

function inboxOf(party: string, { entries }: RecordedHistory, step: number, sent: Sent): Inbox {
  const inbox: Inbox = { isRunning: false, listedAt: 0, received: new Map() };
  for (const [index, { actor, action, subject, outcome = '' }] of entries.slice(0, step).entries()) {
    if (actor !== party) continue;
    if (action === 'start' || action === 'crash') {
      inbox.isRunning = action === 'start';
      inbox.listedAt = index;
      inbox.received.clear();
    }
    const [, type = '', name = '', version = ''] = /^([A-Z]+) (.*)@(\d*)$/.exec(outcome) ?? [];
    const change = action === 'receive' ? sent(type, subject, name, version) : undefined;
    if (change) inbox.received.set(placeOf(change), change);
  }
  return inbox;
}

/** What a party knows of an object, by all changes of it. What it knows not to be there is not worth a line. */
function knownOf(changes: readonly RecordedChange[], { received, listedAt }: Inbox): Known | undefined {
  const last = changes.at(-1);
  if (!last) return undefined;
  const what = `${pluralOf(last)} ${last.object.metadata.name}`;
  const change = received.get(placeOf(last));
  const seen = change ? changes.indexOf(change) : changes.findLastIndex(({ entry }) => entry < listedAt);
  const behind = changes.length - 1 - seen;
  if (behind === 0) return last.isDeleted ? undefined : { what, is: 'current', behind };
  const hadIt = changes[seen]?.isDeleted === false;
  if (last.isDeleted) return hadIt ? { what, is: 'gone', behind } : undefined;
  return { what, is: hadIt ? 'behind' : 'not seen', behind };
}

/**
 * What each operator knows after so many entries of the trace: by the events that it was sent since its start, when it has listed what was there. An operator that is
 * shown the past when it lists knows less than is said here. Pure.
 */
export function partiesAt(
  history: RecordedHistory,
  step: number,
  isWanted: (object: KubernetesObject) => boolean,
): readonly PartyShown[] {
  const byPlace = new Map<string, RecordedChange[]>();
  for (const change of history.changes) {
    if (change.entry >= step || !isWanted(change.object)) continue;
    const place = placeOf(change);
    byPlace.set(place, [...(byPlace.get(place) ?? []), change]);
  }
  const sent = sentIn(history);
  return [...receives(history)].map(([name, kinds]) => {
    const inbox = inboxOf(name, history, step, sent);
    const known = [...byPlace.values()].flatMap((changes) => {
      const [first] = changes;
      return first && kinds.has(pluralOf(first)) ? (knownOf(changes, inbox) ?? []) : [];
    });
    return { name, isRunning: inbox.isRunning, known: inbox.isRunning ? known : [] };
  });
}
