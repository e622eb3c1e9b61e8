import type { MonitoredStatefulSet, MonitoredStatefulSetStatusRegistrations } from '@ordinal/api';
import type { Instant } from '@ordinal/client';
import { atTheLatest, instantOf, isOver, timestamp } from '../decision/index.ts';
import type { ExternalDecision, ExternalObservation, PollIntervals, Sight } from '../external-resource/index.ts';
import { decideLeave, decideStay, ExternalError } from '../external-resource/index.ts';
import type { UsedCredentials } from './credentials.ts';
import type { MonitorRequest, MonitorSystem, MonitorView } from './monitor.ts';

/** A monitor that holds, or may hold, or shall hold an entry for the set. */
export interface Place {
  readonly endpoint: string;
  /** What the status says of it. */
  readonly record: MonitoredStatefulSetStatusRegistrations | undefined;
  readonly system: MonitorSystem | ExternalError;
  /** What it was asked with. */
  readonly credentials: UsedCredentials | undefined;
  readonly sight: Sight<MonitorView>;
}

/** What all places have in common. */
export interface Circumstances {
  readonly set: MonitoredStatefulSet;
  /** Pods are being replaced, and the spec wants alerts to be silent meanwhile. */
  readonly mute: boolean;
  readonly now: Instant;
  readonly random: number;
  readonly intervals: PollIntervals;
}

/** What is to be done at one monitor. */
export interface PlaceDecision extends ExternalDecision<MonitorRequest, MonitorView> {
  readonly endpoint: string;
  readonly mutedSince?: string | undefined;
  /** What the monitor has last accepted, and so what it is to be asked with when it is a former one. */
  readonly credentials: UsedCredentials | undefined;
}

/** Alerts are never silent for longer than this: a roll-out that takes longer is news. */
const longestMuteMs = 15 * 60_000;

/** Used only where the monitor may not be called, and so nothing that is decided by it. */
const unreachable = { repeatedCreate: 'makesAnother', settleMs: 3_600_000, callTimeoutMs: 60_000 } as const;

/** Decides for the monitor that the spec names. */
export function decideCurrent(place: Place, about: Circumstances): PlaceDecision {
  const { now } = about;
  const since = place.record?.mutedSince;
  const isOverdue = since !== undefined && isOver(instantOf(since) ?? now, longestMuteMs, now);
  const muted = about.mute && !isOverdue;
  const decision = decideStay(observation(place, about, muted));
  const isOffered = decision.view?.muted !== undefined;
  // The mark stays for as long as the roll-out lasts, so that what was unmuted as overdue is not muted again.
  const mutedSince = about.mute && isOffered ? (since ?? timestamp(now)) : undefined;
  const unmuteAt = muted && isOffered ? atTheLatest(instantOf(mutedSince) ?? now, now) + longestMuteMs : undefined;
  const lookAgainAt = Math.min(decision.lookAgainAt ?? Infinity, unmuteAt ?? Infinity);
  return {
    ...decision,
    endpoint: place.endpoint,
    mutedSince,
    credentials: place.sight.kind === 'seen' ? place.credentials : place.record?.credentialsSecretRef,
    ...(Number.isFinite(lookAgainAt) ? { lookAgainAt } : {}),
  };
}

/** Decides for a monitor that shall hold no entry of the set any more. */
export function decideFormer(place: Place, about: Circumstances): PlaceDecision {
  const { endpoint, record } = place;
  return { ...decideLeave(observation(place, about, false)), endpoint, credentials: record?.credentialsSecretRef };
}

function observation(
  { record, sight, system }: Place,
  { set, now, random, intervals }: Circumstances,
  muted: boolean,
): ExternalObservation<MonitorRequest, MonitorView> {
  const { metadata, spec } = set;
  return {
    owner: metadata.uid,
    noun: 'registration',
    record,
    sight,
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
