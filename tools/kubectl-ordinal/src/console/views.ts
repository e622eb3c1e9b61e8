import type { Event } from '@ordinal/client';
import type { GateAnswers } from '../checks/gate-asker.ts';
import type { Contents } from '../cluster/contents.ts';
import { nearby } from '../cluster/nearby.ts';
import type { Surroundings } from '../cluster/surroundings.ts';
import { lastSeen, surroundingsOf } from '../cluster/surroundings.ts';
import type { OrdinalResource } from '../kinds.ts';
import { statusView } from '../status/view.ts';
import type { StatusView } from '../status/view.ts';
import type { Explanation } from '../why/explain.ts';
import { explain } from '../why/explain.ts';
import { actionsFor } from './actions.ts';
import type { Detail, EventView, Row, Tone } from './wire.ts';

/** The name of a resource in addresses of the page and of its server: `KIND/NAMESPACE/NAME`. */
export const keyOf = ({ kind, metadata }: OrdinalResource): string =>
  `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;

/** How many events of a resource the page is given, the newest. */
const eventsShown = 200;

function toneOf({ facts, deleting, paused }: StatusView, { waits }: Explanation): Tone {
  const { failure, processingError, upgrade } = facts;
  if (failure || processingError || upgrade?.step === 'Failed') return 'bad';
  // A deletion goes on all the same.
  if (paused === 'all' && !deleting) return 'waits';
  if (upgrade) return upgrade.blockedBy === undefined ? 'busy' : 'waits';
  if (deleting) return 'busy';
  return waits ? 'waits' : 'good';
}

function saysOf({ facts, deleting, paused }: StatusView, why: Explanation): string | undefined {
  const { failure, processingError, upgrade } = facts;
  if (failure) return `${failure.reason}: ${failure.message}`;
  if (processingError) return `${processingError.reason}: ${processingError.message}`;
  if (paused === 'all' && !deleting) return why.says;
  if (upgrade) return upgrade.blockedBy && `waits for ${upgrade.blockedBy}`;
  if (!why.waits) return undefined;
  const [first] = why.hindrances;
  return first && !/^says/.test(why.says) ? `${first.about} ${first.says}` : why.says;
}

function rowOf(around: Surroundings, now: number): Row {
  const view = statusView(around, now);
  const why = explain(around, now);
  const { kind, namespace, name, facts, deleting, paused, estimate } = view;
  return {
    ...{ key: keyOf(around.resource), kind, namespace, name, tone: toneOf(view, why) },
    ...{ phase: deleting ? 'Deleting' : facts.phase, paused },
    ...{ version: facts.version, target: facts.target, ready: facts.ready, replicas: facts.replicas },
    ...{ step: facts.upgrade?.step, done: estimate?.done, says: saysOf(view, why) },
  };
}

/** The lines of the list, by their keys. Pure. */
export function rowsOf(contents: Contents, now: number): ReadonlyMap<string, Row> {
  const near = nearby(contents);
  return new Map(
    contents.resources.map((resource) => [keyOf(resource), rowOf(surroundingsOf(resource, near(resource)), now)]),
  );
}

function eventView(event: Event): EventView {
  const { type, reason = '', note = '', regarding, series } = event;
  return {
    at: lastSeen(event),
    isWarning: type === 'Warning',
    reason,
    note,
    about: `${regarding?.kind ?? ''} ${regarding?.name ?? ''}`.trim(),
    count: series?.count ?? event.deprecatedCount ?? 1,
  };
}

/** The resource with a key, with what belongs to it. Pure. */
export function aroundKey(contents: Contents, key: string): Surroundings | undefined {
  const resource = contents.resources.find((each) => keyOf(each) === key);
  return resource && surroundingsOf(resource, contents);
}

/** All that the page shows of one resource. `said`: what its gates have said; absent: none was asked. Pure. */
export function detailOf(around: Surroundings, now: number, said?: GateAnswers): Detail {
  return {
    key: keyOf(around.resource),
    view: statusView(around, now, said),
    why: explain(around, now),
    events: around.events.slice(0, eventsShown).map(eventView),
    actions: actionsFor(around, now),
  };
}
