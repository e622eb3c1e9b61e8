import type { CloudDatabase } from '@ordinal/api';
import type { Instant, Secret } from '@ordinal/client';
import { instantOf, timestamp } from '@ordinal/client';
import { durationOf } from '@ordinal/constructs';
import type { Announcement } from '@ordinal/lifecycle';
import { decodeSecret } from '@ordinal/lifecycle';
import { rotateAnnotation } from '../annotations.ts';
import { digestOf, passwordDigest, rotatedAtAnnotation } from './children.ts';
import type { SecretContent } from './children.ts';
import type { DatabaseRequest, DatabaseView, LoginView } from './database.ts';
import type { DatabaseObservation } from './observe.ts';
import { policyOf } from './spec.ts';

/** What a rotation needs besides an observation. */
export interface RotationInputs {
  readonly now: Instant;
  readonly newPassword: string;
}

/** The next step of a rotation, or what keeps the logins as the Secret says. */
export interface RotationStep {
  /** What the connection Secret says of logins. To be durable before the change reaches the provider. */
  readonly content: SecretContent;
  readonly change?: Partial<DatabaseRequest>;
  readonly events: readonly Announcement[];
}

const defaultOverlapMs = 600_000;

/** A year, as the CRD has it. */
const longestEveryMs = 8_760 * 3_600_000;

/** How long a value of the annotation may be, in characters: it is kept in the status. */
const maxTokenLength = 253;

/**
 * Decides the next step of a rotation, from the connection Secret and what the provider shows. `password` is what the Secret says, or is about to.
 *
 * **Expected flow.** A login and a password that are next stand in the Secret, under keys of their own; the provider gets them. Then the Secret's `username` and
 * `password` become those, in one write. The provider is asked to end the former login after the overlap, which it does by its own clock.
 *
 * **Guarantees.** The login that the Secret names is never ended, and is opened again where the provider has ended it. A login is named only when the provider has
 * confirmed its password. No rotation begins before the former login has ended. Each step is found out again from the Secret, the provider and the digest in the
 * status; where that is lost, the password is sent once more.
 */
export function rotationStep(
  seen: DatabaseObservation,
  { view, password }: { readonly view: DatabaseView | undefined; readonly password: string | undefined },
  inputs: RotationInputs,
): RotationStep {
  const held = heldIn(seen.connectionSecret);
  const content: SecretContent = { username: held.username, password, annotations: held.annotations };
  if (view?.logins === undefined) return { content, events: [] };
  const { logins } = view;
  const current = logins.find(({ name }) => name === held.username) ?? logins[0];
  const other = current === logins[0] ? logins[1] : logins[0];
  const named = { ...content, username: current.name };
  // What was next for a database that has vanished is so no more.
  const given = held.next?.username === other.name ? held.next : undefined;
  const next = given && { nextUsername: given.username, nextPassword: given.password };
  const kept: RotationStep = { content: { ...named, ...next }, events: [] };
  if (view.state === 'pending' || !policyOf(seen.database).update || password === undefined) return kept;
  const digest = digestOf(seen.database, view);
  // Applications have just read it from the Secret: a restore of the API server's store may have taken back that another one was named.
  if (current.state !== 'open') return { ...kept, change: { username: current.name, password } };
  if (given !== undefined) {
    const isGiven = digest === passwordDigest(given.password) && other.state === 'open';
    return isGiven ? switched(seen, { named, given, former: current }, inputs) : { ...kept, change: given };
  }
  if (digest !== passwordDigest(password)) return { ...kept, change: { username: current.name, password } };
  if (other.state === 'open') return { ...kept, change: ending(seen.database, other) };
  return other.state === 'closed' && view.state === 'ready' ? begun(seen, { kept, other }, inputs) : kept;
}

/** The Secret gets the next login in place of the one that it names, and that one gets its end. */
function switched(
  { database }: DatabaseObservation,
  {
    named,
    given,
    former,
  }: {
    readonly named: SecretContent;
    readonly given: Pick<DatabaseRequest, 'username' | 'password'>;
    readonly former: LoginView;
  },
  { now }: RotationInputs,
): RotationStep {
  const { overlap = '10m' } = database.spec.rotation ?? {};
  const note = `applications log in as ${given.username} from now on: they have ${overlap} to read the connection Secret again, then ${former.name} ends`;
  return {
    content: { ...named, ...given, annotations: { ...named.annotations, [rotatedAtAnnotation]: timestamp(now) } },
    change: ending(database, former),
    events: [{ type: 'Normal', reason: 'Rotated', note }],
  };
}

/** A rotation that is due begins: the next login gets durable, and then the provider gets it. */
function begun(
  seen: DatabaseObservation,
  { kept, other }: { readonly kept: RotationStep; readonly other: LoginView },
  { now, newPassword }: RotationInputs,
): RotationStep {
  const { isDue, requested } = dueFor(seen, now);
  if (!isDue) return kept;
  const { content } = kept;
  const annotations = requested === undefined ? {} : { [rotateAnnotation]: requested };
  const note = `the database gets the login ${other.name} with a new password; the connection Secret names it as soon as the provider has it`;
  return {
    content: {
      ...content,
      nextUsername: other.name,
      nextPassword: newPassword,
      annotations: { ...content.annotations, ...annotations },
    },
    change: { username: other.name, password: newPassword },
    events: [{ type: 'Normal', reason: 'RotationStarted', note }],
  };
}

const ending = ({ spec }: CloudDatabase, { name }: LoginView): Partial<DatabaseRequest> => ({
  formerLogin: { name, endsInMs: overlapOf(spec) },
});

const overlapOf = ({ rotation }: CloudDatabase['spec']): number => durationOf(rotation?.overlap, defaultOverlapMs);

/** When a rotation is due, and whether a user asks for one. */
export interface RotationDue {
  /** Undefined where no schedule says so. */
  readonly dueAt: Instant | undefined;
  /** The value of the annotation that was not acted on yet. */
  readonly requested: string | undefined;
  readonly isDue: boolean;
}

/**
 * Whether a rotation is due. A login that was never replaced is as old as the object. After a restore of the API server's store the Secret may name a login with a
 * password that it had before: a new login is the way out.
 */
export function dueFor(
  { database, connectionSecret, restoredAt }: Pick<DatabaseObservation, 'database' | 'connectionSecret' | 'restoredAt'>,
  now: Instant,
): RotationDue {
  const { metadata, spec } = database;
  const { rotatedAt } = heldIn(connectionSecret);
  const requested = requestOf(database, connectionSecret);
  const isDoubted = restoredAt !== undefined && (rotatedAt ?? -Infinity) < restoredAt;
  if (spec.rotation?.every === undefined)
    return { dueAt: undefined, requested, isDue: requested !== undefined || (rotatedAt !== undefined && isDoubted) };
  const everyMs = durationOf(spec.rotation.every, longestEveryMs);
  const since = rotatedAt ?? instantOf(metadata.creationTimestamp) ?? now;
  // A time that far in the future is of a clock that was set back since.
  const isOld = Math.abs(now - since) >= everyMs;
  return { dueAt: since + everyMs, requested, isDue: requested !== undefined || isDoubted || isOld };
}

/** The request that was not acted on yet: neither the Secret, which learns of it together with the next login, nor the status has it. */
function requestOf({ metadata, status }: CloudDatabase, secret: Secret | undefined): string | undefined {
  const asked = metadata.annotations?.[rotateAnnotation];
  if (asked === undefined || asked.length > maxTokenLength) return undefined;
  const isKnown = asked === secret?.metadata.annotations?.[rotateAnnotation] || asked === status?.rotation?.token;
  return isKnown ? undefined : asked;
}

/** What the connection Secret says of logins. */
export function heldIn(secret: Secret | undefined): {
  readonly username: string | undefined;
  readonly next: { readonly username: string; readonly password: string } | undefined;
  readonly rotatedAt: Instant | undefined;
  readonly annotations: Readonly<Record<string, string>>;
} {
  const { username, 'next-username': next, 'next-password': password } = secret ? decodeSecret(secret) : {};
  const present = secret?.metadata.annotations ?? {};
  const annotations = Object.fromEntries(
    Object.entries(present).filter(([key]) => key === rotatedAtAnnotation || key === rotateAnnotation),
  );
  const isNext = next !== undefined && password !== undefined && password !== '';
  return {
    username,
    next: isNext ? { username: next, password } : undefined,
    rotatedAt: instantOf(annotations[rotatedAtAnnotation]),
    annotations,
  };
}
