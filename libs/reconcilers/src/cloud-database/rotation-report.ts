import type { CloudDatabase, CloudDatabaseStatus } from '@ordinal/api';
import type { Finding, Instant } from '@ordinal/client';
import { conditionOf, defined, instantOf, timestamp } from '@ordinal/client';
import type { Announcement } from '@ordinal/lifecycle';
import { rotateAnnotation } from '../annotations.ts';
import type { DatabaseView } from './database.ts';
import type { DatabaseObservation } from './observe.ts';
import { dueFor, heldIn } from './rotation.ts';
import type { RotationDue } from './rotation.ts';
import { policyOf } from './spec.ts';

/** The condition of a database with `spec.rotation`, or of which a rotation is asked for that can't be. */
export const rotationOnSchedule = 'RotationOnSchedule';

/** What is said of rotations. */
export interface RotationReport {
  readonly status: CloudDatabaseStatus['rotation'];
  /** Undefined where no rotation is asked for. */
  readonly finding: Finding | undefined;
  readonly events: readonly Announcement[];
  /** When a rotation is due, or a former login has ended. */
  readonly lookAgainAt?: Instant | undefined;
}

/** How long a rotation may be due before that is reported, in milliseconds: looks and failed calls take that long. */
const graceMs = 900_000;

/** What status, condition and events say of rotations, by what is seen: the last one and the next, the former login while it lasts, and why none is made. */
export function rotationReport(
  seen: DatabaseObservation,
  view: DatabaseView | undefined,
  now: Instant,
): RotationReport {
  const { database, connectionSecret } = seen;
  const { rotatedAt, annotations } = heldIn(connectionSecret);
  const before = database.status?.rotation;
  const due = dueFor(seen, now);
  const token = annotations[rotateAnnotation] ?? before?.token;
  const former = formerIn(seen, view);
  const lastRotatedAt = rotatedAt === undefined ? before?.lastRotatedAt : timestamp(rotatedAt);
  const nextRotationAt = due.dueAt === undefined ? undefined : timestamp(due.dueAt);
  const status = defined({ lastRotatedAt, nextRotationAt, formerLogin: former.name, token });
  return {
    status: Object.keys(status).length === 0 ? undefined : status,
    finding: findingOf(database, { view, due, now }),
    events: former.events,
    lookAgainAt: lookAgainAt({ due, endsInMs: former.endsInMs, now }),
  };
}

/** The next time at which something is due. What is due already is looked at again as whatever keeps it back is. */
function lookAgainAt({
  due: { dueAt },
  endsInMs,
  now,
}: {
  readonly due: RotationDue;
  readonly endsInMs: number | undefined;
  readonly now: Instant;
}): Instant | undefined {
  const times = [dueAt, endsInMs === undefined ? undefined : now + endsInMs + 1_000].filter(
    (time) => time !== undefined && time > now,
  );
  return times.length === 0 ? undefined : Math.min(...times.map((time) => time ?? Infinity));
}

/** The login that may still log in although the Secret names another one, and the event of its end. */
function formerIn(
  { database, connectionSecret }: DatabaseObservation,
  view: DatabaseView | undefined,
): {
  readonly name?: string | undefined;
  readonly endsInMs?: number | undefined;
  readonly events: readonly Announcement[];
} {
  const before = database.status?.rotation?.formerLogin;
  if (view?.logins === undefined) return { name: before, events: [] };
  const { username } = heldIn(connectionSecret);
  const login = view.logins.find(({ name, state }) => name !== username && state === 'ending');
  if (login !== undefined) return { name: login.name, endsInMs: login.endsInMs, events: [] };
  const isEnded = view.logins.some(({ name, state }) => name === before && state === 'closed');
  if (!isEnded) return { events: [] };
  return { events: [{ type: 'Normal', reason: 'FormerLoginEnded', note: `${before ?? ''} may log in no more` }] };
}

function findingOf(
  database: CloudDatabase,
  { view, due, now }: { readonly view: DatabaseView | undefined; readonly due: RotationDue; readonly now: Instant },
): Finding | undefined {
  const { dueAt, requested } = due;
  if (dueAt === undefined && requested === undefined && database.spec.rotation === undefined) return undefined;
  const finding = (status: Finding['status'], reason: string, message: string): Finding => ({
    ...{ type: rotationOnSchedule, status, reason, message },
  });
  if (view !== undefined && view.logins === undefined) return finding('False', 'Unsupported', unsupported(database));
  if (!policyOf(database).update) {
    return finding('False', 'NotPermitted', 'managementPolicies forbid it: add Update, or take spec.rotation out');
  }
  if (dueAt !== undefined && now > dueAt + graceMs && !isNewlyAsked(database, now))
    return finding('False', 'Overdue', `the login is to be replaced since ${timestamp(dueAt)}; Synced says what fails`);
  if (dueAt !== undefined) return finding('True', 'OnSchedule', 'the login is replaced when it is due');
  return finding('True', 'OnDemand', `a new value of the annotation ${rotateAnnotation} has the login replaced`);
}

/** Whether rotations are asked for since so short a time that none is late: a database may be older than its schedule. */
function isNewlyAsked({ status }: CloudDatabase, now: Instant): boolean {
  const before = conditionOf(status?.conditions, rotationOnSchedule);
  const since = instantOf(before?.lastTransitionTime) ?? now;
  return before?.status !== 'False' && now < since + graceMs;
}

function unsupported({ spec }: CloudDatabase): string {
  const why =
    spec.externalName === undefined
      ? 'the provider keeps one login of a database, and a new password of it would refuse applications that have the former one'
      : 'the database was not made for this object, and its logins are not changed';
  return `${why}: take spec.rotation and the annotation ${rotateAnnotation} out, and change the password of the connection Secret when applications can be stopped`;
}
