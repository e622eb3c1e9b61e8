import { cloudDatabases } from '@ordinal/api';
import type { CloudDatabase } from '@ordinal/api';
import { secrets } from '@ordinal/client';
import type { Instant } from '@ordinal/client';
import type {
  Action,
  Announcement,
  Decision,
  StatusWrite,
  ExternalCall,
  ExternalDecision,
  ExternalObservation,
  PollIntervals,
  ExternalStatus,
  ExternalReason,
} from '@ordinal/lifecycle';
import {
  endHold,
  lifeOf,
  takeHold,
  nothing,
  longestRetryMs,
  reportAgainMs,
  decideDelete,
  decideEnsure,
  decodeSecret,
  ExternalError,
  validationText,
  isRetained,
  jittered,
} from '@ordinal/lifecycle';
import { isPaused, retries } from '../annotations.ts';
import type { DecisionInputs } from '../kind.ts';
import { failureEvents, shownStatus } from './failure.ts';
import { administrator, digestOf, isForeign, passwordDigest, secretToWrite, wantedConnection } from './children.ts';
import type { DatabaseRequest, DatabaseView } from './database.ts';
import type { DatabaseObservation } from './observe.ts';
import { rotationStep } from './rotation.ts';
import { rotationReport } from './rotation-report.ts';
import type { RotationReport } from './rotation-report.ts';
import { connectionSecretName, databaseHold, policyOf } from './spec.ts';
import { statusFor } from './status.ts';
import { validateCloudDatabase } from './validate.ts';

/** What is handed in because a decision may not make it up: time, randomness, and a password that was never used. */
export interface DatabaseInputs extends DecisionInputs {
  /** In [0, 1). */
  readonly random: number;
  readonly newPassword: string;
  readonly intervals: PollIntervals;
}

/** A decision, and how the database stands. */
export type DatabaseDecision = Decision<ExternalCall<DatabaseRequest>> & { readonly externalStatus?: ExternalStatus };

/**
 * Decides the next step for a CloudDatabase: deletion, then validity, then initialization, then the provider.
 *
 * **Expected flow.** Finalizer; record of what is about to be made, connection Secret with a password, creation; Provisioning until the provider says
 * ready; endpoint into the Secret; drift looked for slowly. Deletion by policy until the provider shows nothing of ours, then the finalizer goes.
 *
 * **Guarantees.** Those of `decideEnsure` and `decideDelete`. An object that is being deleted never gets a finalizer (I25), and its validity is not asked.
 * A password is durable before the provider gets it. A Secret of another owner is never written.
 */
export function decideDatabase(seen: DatabaseObservation, inputs: DatabaseInputs): DatabaseDecision {
  const { database } = seen;
  const life = lifeOf(database, databaseHold);
  if (life === 'released') return nothing;
  if (isPaused(database)) return show(seen, inputs, paused);
  const leaving = life === 'leaving';
  const errors = leaving ? [] : validateCloudDatabase(database);
  if (errors.length > 0) return show(seen, inputs, invalid(validationText(errors)));
  // The status is sealed before the object is held, so that one which is emptied later on is noticed.
  if (life === 'new') {
    const status = { descriptor: cloudDatabases, object: database, status: database.status ?? {} };
    return { actions: takeHold(database, databaseHold), status };
  }
  return leaving ? remove(seen, inputs) : ensure(seen, inputs);
}

const paused: ExternalStatus = {
  reason: 'NotCreated',
  message: 'paused by the annotation ordinal.dev/paused: nothing is done, neither here nor at the provider',
  synced: 'Unknown',
  ready: 'Unknown',
  retry: 'wait',
};

const invalid = (message: string): ExternalStatus => ({
  reason: 'InvalidSpec',
  message,
  synced: 'False',
  ready: 'Unknown',
  retry: 'terminal',
});

/** Nothing is done, and it is said why. What takes the reason away wakes us: a change of the object, or of a Secret. Until then it is said again now and then. */
function show(seen: DatabaseObservation, { now }: DatabaseInputs, externalStatus: ExternalStatus): DatabaseDecision {
  const { database } = seen;
  const record = database.status?.external;
  const status = statusFor(database, { externalStatus, record, now });
  const events = announcementsOf(seen, { externalStatus, record });
  const decision = {
    actions: [],
    status: { descriptor: cloudDatabases, object: database, status },
    events,
    externalStatus,
  };
  return externalStatus === paused ? decision : { ...decision, lookAgainAt: now + longestRetryMs };
}

function remove(seen: DatabaseObservation, inputs: DatabaseInputs): DatabaseDecision {
  const { database, rival } = seen;
  if (rival) return finish(database, { ...taken(database, rival), reason: 'Retained', synced: 'True' });
  const outside = claimed(decideDelete(external(seen, inputs)), seen, { ...inputs, ...inputs.intervals });
  if (!outside.done) {
    const decision = written(seen, inputs, outside);
    const changes = [...retries.events(database), ...followedEvents(seen)];
    const events = [...changes, ...failureEvents(database, decision.externalStatus)];
    return { ...decision, actions: callsOf(outside), events };
  }
  return finish(database, outside.externalStatus);
}

/** Nothing of ours is left at the provider, or what is should stay. */
function finish(database: CloudDatabase, externalStatus: ExternalStatus): DatabaseDecision {
  const { message: because } = externalStatus;
  const reason = isRetained(externalStatus) ? 'Retained' : 'Gone';
  return {
    actions: [endHold(database, databaseHold, because)],
    events: [{ type: 'Normal', reason, note: because, regarding: database }],
    externalStatus,
  };
}

/** How a database stands that another object has taken over before. */
function taken({ metadata }: CloudDatabase, rival: CloudDatabase): ExternalStatus {
  const { namespace, name } = rival.metadata;
  // What there is in another namespace is not everyone's business.
  const whose = namespace === metadata.namespace ? `CloudDatabase ${name}` : 'a CloudDatabase of another namespace';
  const message = `${whose} has taken this database over: delete one of the two objects`;
  return { reason: 'OwnedByAnother', message, synced: 'False', ready: 'False', retry: 'wait' };
}

function ensure(seen: DatabaseObservation, inputs: DatabaseInputs): DatabaseDecision {
  const { database, connectionSecret } = seen;
  if (isForeign(connectionSecret, database)) {
    const name = connectionSecretName(database);
    const message = `Secret ${name} does not belong to this CloudDatabase: delete it, or name another one in a new CloudDatabase`;
    const externalStatus: ExternalStatus = {
      reason: 'OwnedByAnother',
      message,
      synced: 'False',
      ready: 'False',
      retry: 'wait',
    };
    return show(seen, inputs, externalStatus);
  }
  if (seen.rival) {
    const lookAgainAt = inputs.now + jittered(inputs.intervals.steadyMs, inputs.random);
    return { ...show(seen, inputs, taken(database, seen.rival)), lookAgainAt };
  }
  const outside = claimed(decideEnsure(external(seen, inputs)), seen, { ...inputs, ...inputs.intervals });
  const rotation = rotationStep(seen, { view: outside.view, password: passwordFor(seen, inputs) }, inputs);
  const { content } = rotation;
  const connection = wantedConnection(connectionSecret, outside.view, content);
  // Before a creation the password must be durable; where nothing exists and nothing is made, there is nothing to connect to.
  const isDue = outside.view !== undefined || outside.calls.length > 0;
  const secret = isDue
    ? secretToWrite(database, connectionSecret, { connection, annotations: content.annotations })
    : undefined;
  const because = connectionSecret ? 'the connection has changed' : 'applications read the connection from it';
  const write: Action<ExternalCall<DatabaseRequest>>[] =
    secret === undefined
      ? []
      : [{ kind: connectionSecret ? 'apply' : 'create', descriptor: secrets, object: secret, because }];
  const report = rotationReport(seen, outside.view, inputs.now);
  const decision = written(seen, inputs, { ...outside, rotation: report });
  const failed = failureEvents(database, decision.externalStatus);
  const changes = [...retries.events(database), ...followedEvents(seen)];
  const events = [...changes, ...failed, ...announcementsOf(seen, outside), ...rotation.events, ...report.events];
  return { ...decision, actions: [...write, ...callsOf(outside)], events };
}

/**
 * What is taken over is written down first, and touched only when a later look has found no other object that has done so at the same time: unlike a creation,
 * an import has no token that only one can have.
 */
function claimed(
  outside: ExternalDecision<DatabaseRequest, DatabaseView>,
  { database }: DatabaseObservation,
  { now, movingMinMs }: Pick<DatabaseInputs, 'now'> & Pick<PollIntervals, 'movingMinMs'>,
): ExternalDecision<DatabaseRequest, DatabaseView> {
  const { record } = outside;
  if (record?.imported !== true || database.status?.external?.id === record.id) return outside;
  const message = `taking over the database ${record.id ?? ''}`;
  const externalStatus: ExternalStatus = { reason: 'Settling', message, synced: 'Unknown', ready: 'False' };
  return { record, calls: [], externalStatus, lookAgainAt: now + movingMinMs };
}

/** The password to use: that of the Secret, or a new one. An imported database keeps its own, which the operator does not know. */
function passwordFor(
  { database, connectionSecret }: DatabaseObservation,
  { newPassword }: DatabaseInputs,
): string | undefined {
  const present = connectionSecret && decodeSecret(connectionSecret)['password'];
  if (present !== undefined && present !== '') return present;
  return database.spec.externalName === undefined ? newPassword : undefined;
}

function external(
  seen: DatabaseObservation,
  inputs: DatabaseInputs,
): ExternalObservation<DatabaseRequest, DatabaseView> {
  const { database, account, lookup } = seen;
  const { metadata, spec } = database;
  const password = passwordFor(seen, inputs);
  return {
    owner: metadata.uid,
    noun: 'database',
    record: seen.record,
    lookup,
    desired: {
      engine: spec.engine,
      size: spec.size,
      displayName: `${metadata.namespace ?? ''}/${metadata.name}`,
      username: administrator,
      password: password ?? '',
    },
    changeFor: (view) => changeFor(seen, { view, password }, inputs),
    policy: policyOf(database),
    traits: account instanceof ExternalError ? unreachable : account.system.traits,
    now: inputs.now,
    random: inputs.random,
    intervals: inputs.intervals,
  };
}

/** Used only where there is no account, and so nothing that is decided by it. */
const unreachable = { repeatedCreate: 'makesAnother', settleMs: 3_600_000, callTimeoutMs: 60_000 } as const;

function changeFor(
  seen: DatabaseObservation,
  { view, password }: { readonly view: DatabaseView; readonly password: string | undefined },
  inputs: DatabaseInputs,
): Partial<DatabaseRequest> | undefined {
  const { spec } = seen.database;
  const size = view.size === undefined || view.size === spec.size ? {} : { size: spec.size };
  const change = { ...size, ...loginChange(seen, { view, password }, inputs) };
  return Object.keys(change).length === 0 ? undefined : change;
}

/** What of the logins the provider lacks. */
function loginChange(
  seen: DatabaseObservation,
  { view, password }: { readonly view: DatabaseView; readonly password: string | undefined },
  inputs: DatabaseInputs,
): Partial<DatabaseRequest> {
  if (view.logins !== undefined) return rotationStep(seen, { view, password }, inputs).change ?? {};
  const isKnown = password === undefined || digestOf(seen.database, view) === passwordDigest(password);
  return isKnown ? {} : { password };
}

const callsOf = (outside: ExternalDecision<DatabaseRequest, DatabaseView>): Action<ExternalCall<DatabaseRequest>>[] =>
  outside.calls.map(({ call, because }) => ({ kind: 'call', call, because }));

function written(
  seen: DatabaseObservation,
  { now }: DatabaseInputs,
  outside: ExternalDecision<DatabaseRequest, DatabaseView> & { readonly rotation?: RotationReport | undefined },
): Pick<DatabaseDecision, 'lookAgainAt'> & { readonly status: StatusWrite; readonly externalStatus: ExternalStatus } {
  const { database, account, followedFrom } = seen;
  const { externalStatus: decided, record, view, calls, rotation } = outside;
  const lookAgainAt = earliest(outside.lookAgainAt, rotation?.lookAgainAt);
  const externalStatus = shownStatus(seen, { externalStatus: decided, calls }, now);
  const name = account instanceof ExternalError ? undefined : account.account;
  const status = statusFor(database, { externalStatus, record, view, now, account: name, followedFrom, rotation });
  return {
    // A call must be announced before it is made. Without one, the status waits for the Secret, so that Ready means that both are.
    status: { descriptor: cloudDatabases, object: database, status, order: calls.length > 0 ? 'first' : 'last' },
    externalStatus,
    ...(lookAgainAt === undefined ? {} : { lookAgainAt }),
  };
}

const earliest = (...times: readonly (Instant | undefined)[]): Instant | undefined => {
  const given = times.filter((time) => time !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
};

/** A renamed account is followed once. */
function followedEvents({ account, followedFrom }: DatabaseObservation): Announcement[] {
  if (followedFrom === undefined || account instanceof ExternalError) return [];
  const note = `the database was made at ${followedFrom} and is found, with this object's mark, at ${account.account}: that is the same account by another name, and is used from now on`;
  return [{ type: 'Normal', reason: 'AccountFollowed', note }];
}

/** The reasons that are emitted as events. */
const emittedReasons = [
  'Available',
  'Failed',
  'Ambiguous',
  'OwnedByAnother',
  'ImportNotFound',
  'InvalidSpec',
  'Vanished',
] as const;

const isEmitted = (reason: ExternalReason): reason is (typeof emittedReasons)[number] =>
  emittedReasons.some((each) => each === reason);

/** The events of how a database stands: when it becomes so and, where a user has to act, again for as long as it lasts. */
function announcementsOf(
  { database }: DatabaseObservation,
  { externalStatus, record }: Pick<ExternalDecision<DatabaseRequest, DatabaseView>, 'externalStatus' | 'record'>,
): Announcement[] {
  const before = database.status?.conditions?.find(({ type }) => type === 'Synced')?.reason;
  const wasMadeAgain = (record?.incarnation ?? 1) > (database.status?.external?.incarnation ?? 1);
  const vanished: Announcement = { type: 'Warning', reason: 'Recreated', note: externalStatus.message };
  if (wasMadeAgain) return [vanished];
  const { reason, message: note } = externalStatus;
  if (!isEmitted(reason)) return [];
  if (before !== reason) return [{ type: reason === 'Available' ? 'Normal' : 'Warning', reason, note }];
  return reason === 'Available' ? [] : [{ type: 'Warning', reason, note, atMostEveryMs: reportAgainMs }];
}
