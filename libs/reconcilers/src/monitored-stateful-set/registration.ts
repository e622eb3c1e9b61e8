import type { MonitoredStatefulSet } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import type {
  ExternalDecision,
  ExternalObservation,
  ExternalRecord,
  PollIntervals,
  ExternalStatus,
} from '@ordinal/lifecycle';
import { atTheLatest, isOver, decideDelete, decideEnsure, ExternalError } from '@ordinal/lifecycle';
import type { UsedCredentials } from './credentials.ts';
import type { MonitorRequest, MonitorView } from './monitor.ts';
import type { tooManyFormer } from './place-limit.ts';
import type { Place } from './place.ts';

/** What all places have in common. */
export interface Circumstances {
  readonly set: MonitoredStatefulSet;
  /** Pods are being replaced, and the spec wants alerts to be silent meanwhile. */
  readonly mute: boolean;
  readonly now: Instant;
  readonly random: number;
  readonly intervals: PollIntervals;
}

/** What the set has at the other monitors, as their records say. */
export type Others = readonly (Pick<ExternalRecord, 'token' | 'incarnation'> | undefined)[];

/** How it stands at a monitor; with a reason of its own where it may not be called. */
export type PlaceStatus = Omit<ExternalStatus, 'reason'> & {
  readonly reason: ExternalStatus['reason'] | typeof tooManyFormer;
};

/** What is to be done at one monitor. */
export interface PlaceDecision extends Omit<ExternalDecision<MonitorRequest, MonitorView>, 'externalStatus'> {
  readonly externalStatus: PlaceStatus;
  readonly endpoint: string;
  readonly mutedSince?: string | undefined;
  /** What the monitor has last accepted, and so what it is to be asked with when it is a former one. */
  readonly credentials: UsedCredentials | undefined;
}

/** Alerts are never silent for longer than this: a roll-out that takes longer is news. */
const longestMuteMs = 15 * 60_000;

/** Used only where the monitor may not be called, and so nothing that is decided by it. */
const unreachable = { repeatedCreate: 'makesAnother', settleMs: 3_600_000, callTimeoutMs: 60_000 } as const;

/** Decides for the monitor that the spec names. `others` are the former ones: where it is another URL of one of them, an entry that was made there is taken over here. */
export function decideCurrent(given: Place, about: Circumstances, others: Others): PlaceDecision {
  const { now } = about;
  const place = given.record === undefined ? given : withoutOthers(given, others);
  const since = place.record?.mutedSince;
  const isOverdue = since !== undefined && isOver(instantOf(since) ?? now, longestMuteMs, now);
  const muted = about.mute && !isOverdue;
  const incarnationElsewhere = Math.max(0, ...others.map((record) => record?.incarnation ?? 0));
  const decision = decideEnsure({ ...observation(place, about, muted), incarnationElsewhere });
  const isOffered = decision.view?.muted !== undefined;
  // The mark stays for as long as the roll-out lasts, so that what was unmuted as overdue is not muted again.
  const mutedSince = about.mute && isOffered ? (since ?? timestamp(now)) : undefined;
  const unmuteAt = muted && isOffered ? atTheLatest(instantOf(mutedSince) ?? now, now) + longestMuteMs : undefined;
  const lookAgainAt = Math.min(decision.lookAgainAt ?? Infinity, unmuteAt ?? Infinity);
  return {
    ...decision,
    endpoint: place.endpoint,
    mutedSince,
    credentials:
      place.lookup.kind === 'answered' || place.lookup.kind === 'unsupported'
        ? place.credentials
        : place.record?.credentialsSecretRef,
    ...(Number.isFinite(lookAgainAt) ? { lookAgainAt } : {}),
  };
}

/** Decides for a monitor that should hold no entry of the set any more. What `others` have made is theirs, should it be another URL of one of them. */
export function decideFormer(given: Place, about: Circumstances, others: Others = []): PlaceDecision {
  const place = withoutOthers(given, others);
  const { endpoint, record } = place;
  return { ...decideDelete(observation(place, about, false)), endpoint, credentials: record?.credentialsSecretRef };
}

/** The place without entries that carry another place's token. */
function withoutOthers(place: Place, others: Others): Place {
  const { lookup, record } = place;
  if (lookup.kind !== 'answered') return place;
  const isTheirs = ({ token }: MonitorView): boolean =>
    token !== undefined && token !== record?.token && others.some((other) => other?.token === token);
  return { ...place, lookup: { ...lookup, views: lookup.views.filter((view) => !isTheirs(view)) } };
}

function observation(
  { record, lookup, system }: Place,
  { set, now, random, intervals }: Circumstances,
  muted: boolean,
): ExternalObservation<MonitorRequest, MonitorView> {
  const { metadata, spec } = set;
  return {
    owner: metadata.uid,
    noun: 'registration',
    record,
    lookup,
    desired: { serviceName: metadata.name, namespace: metadata.namespace ?? '', muted },
    changeFor: (view) => (view.muted === undefined || view.muted === muted ? undefined : { muted }),
    policy: {
      create: true,
      update: true,
      delete: metadata.deletionTimestamp === undefined || spec.deletionPolicy === 'Delete',
    },
    traits: system instanceof ExternalError ? unreachable : system.traits,
    now,
    random,
    intervals,
  };
}
