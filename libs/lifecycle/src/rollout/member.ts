import type { Instant, Pod } from '@ordinal/client';
import { defined, controllerOf, instantOf } from '@ordinal/client';
import type { Seen } from '../decision/index.ts';
import { seenOf } from '../decision/index.ts';
import type { Step } from './step.ts';
import { unreadyCause, unreadyReason } from './unready.ts';

/** A member of a set as the API server last showed it. */
export interface Member extends Seen {
  readonly ordinal: number;
  /** The hash of the template from which it was made; empty where it does not say, or that template was not ours. */
  readonly revision: string;
  readonly ready: boolean;
  /** Since when it is as ready, or as unready, as it is. */
  readonly since: Instant;
  /** It has a deletionTimestamp: its process is being ended whatever its finalizers say. */
  readonly terminating: boolean;
  /** It carries our finalizer. */
  readonly held: boolean;
  readonly ip?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Its set makes no such members any more, whichever partition holds them: another client had changed the template meanwhile. */
  readonly foreign?: true;
  /** What keeps it from getting ready, in one sentence; absent where it is ready, or starts as usual. */
  readonly cause?: string;
  /** The same, and where nothing hinders it the condition `Ready` in the kubelet's words; absent where it is ready. */
  readonly unready?: string;
}

/** A member that is not available, or is about to go. */
export interface MemberInFlight {
  readonly ordinal: number;
  /** Absent while it is not there. */
  readonly uid?: string;
  readonly step: Step;
  readonly blockedBy?: string;
  /** No other one goes before it is back: it led, or was a canary. */
  readonly alone?: true;
}

/** What shows a member of one set from other pods, and what it runs. */
export interface Membership {
  /** The UID of the StatefulSet. */
  readonly setUid: string;
  readonly setName: string;
  readonly revisionAnnotation: string;
  readonly finalizer: string;
}

/** The ordinal in the name of a pod of the StatefulSet of this name; undefined where it is not one's. */
export function ordinalIn(pod: string, setName: string): number | undefined {
  const ordinal = pod.startsWith(`${setName}-`) ? pod.slice(setName.length + 1) : '';
  return /^\d+$/.test(ordinal) ? Number(ordinal) : undefined;
}

const readinessOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'Ready');

/** Whether a pod is ready and not being deleted. */
export function isServing(pod: Pod): boolean {
  const { phase } = pod.status ?? {};
  const isUp = phase !== 'Failed' && phase !== 'Succeeded' && pod.metadata.deletionTimestamp === undefined;
  return readinessOf(pod)?.status === 'True' && isUp;
}

/** The member that a pod is, or undefined where it belongs to another set or to none: the name alone proves nothing (I13). */
export function memberOf(pod: Pod, { setUid, setName, revisionAnnotation, finalizer }: Membership): Member | undefined {
  const { name, annotations = {}, deletionTimestamp, creationTimestamp, labels = {} } = pod.metadata;
  if (controllerOf(pod)?.uid !== setUid) return undefined;
  const ordinal = Number(name.slice(setName.length + 1));
  if (!Number.isInteger(ordinal)) return undefined;
  const readiness = readinessOf(pod);
  const { podIP } = pod.status ?? {};
  const seen = seenOf(pod);
  const [cause, unready] = [unreadyCause(pod), unreadyReason(pod)];
  return {
    ...seen,
    ordinal,
    revision: annotations[revisionAnnotation] ?? '',
    ready: isServing(pod),
    since: instantOf(readiness?.lastTransitionTime) ?? instantOf(creationTimestamp) ?? 0,
    terminating: deletionTimestamp !== undefined,
    held: seen.finalizers.includes(finalizer),
    labels,
    ...(podIP === undefined || podIP === '' ? {} : { ip: podIP }),
    ...defined({ cause, unready }),
  };
}
