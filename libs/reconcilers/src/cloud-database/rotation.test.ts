import type { CloudDatabase } from '@ordinal/api';
import type { Secret } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { passwordDigest } from './children.ts';
import type { DatabaseView, LoginView } from './database.ts';
import type { DatabaseObservation } from './observe.ts';
import { rotationReport } from './rotation-report.ts';
import { rotationStep } from './rotation.ts';

const now = Date.parse('2026-03-01T00:00:00Z');
const hour = 3_600_000;

type State = LoginView['state'];

/** A database of which a situation differs in these. */
interface Situation {
  readonly rotation?: CloudDatabase['spec']['rotation'];
  readonly annotations?: Record<string, string>;
  /** Of the Secret: what it has beside the login `one` with the password `old`. */
  readonly data?: Record<string, string>;
  readonly rotatedAt?: number;
  /** The password that the provider was given last. */
  readonly given?: string;
  readonly status?: NonNullable<CloudDatabase['status']>['rotation'];
  readonly managementPolicies?: readonly string[];
  readonly externalName?: string;
  readonly restoredAt?: number;
  /** Since when rotations are on schedule. */
  readonly onScheduleSince?: number;
}

function seenWith({ data = {}, given = 'old', ...rest }: Situation = {}): DatabaseObservation {
  const {
    rotation,
    annotations = {},
    rotatedAt,
    status,
    managementPolicies = ['*'],
    externalName,
    restoredAt,
    onScheduleSince: since,
  } = rest;
  const metadata = { name: 'orders', namespace: 'shop', uid: 'u', creationTimestamp: timestamp(now - 48 * hour) };
  const external = { token: 'u-1', incarnation: 1, id: 'db', passwordDigest: passwordDigest(given) };
  const entries = Object.entries({ username: 'one', password: 'old', ...data });
  const secret = {
    metadata: { annotations: rotatedAt === undefined ? {} : { 'ordinal.dev/rotated-at': timestamp(rotatedAt) } },
    data: Object.fromEntries(entries.map(([key, value]) => [key, btoa(value)])),
  };
  return {
    database: {
      metadata: { ...metadata, annotations },
      spec: { engine: 'postgres', size: 'small', managementPolicies, rotation, externalName },
      status: {
        ...{ external, rotation: status },
        conditions:
          since === undefined
            ? []
            : [{ type: 'RotationOnSchedule', status: 'True', lastTransitionTime: timestamp(since) }],
      },
    } as unknown as CloudDatabase,
    connectionSecret: secret as unknown as Secret,
    restoredAt,
  } as unknown as DatabaseObservation; // All that is read here.
}

const viewOf = (one: State, two: State, state: DatabaseView['state'] = 'ready'): DatabaseView => ({
  ...{ id: 'db', state },
  logins: [
    { name: 'one', state: one },
    { name: 'two', state: two, ...(two === 'ending' ? { endsInMs: 30_000 } : {}) },
  ],
});

const stepOf = (situation: Situation, view: DatabaseView) =>
  rotationStep(
    seenWith(situation),
    { view, password: situation.data?.['password'] ?? 'old' },
    { now, newPassword: 'new' },
  );

const begun = { 'next-username': 'two', 'next-password': 'new' };
const daily = { every: '24h', overlap: '5m' };

describe('the next step', () => {
  test.each<[string, Situation, DatabaseView, object]>([
    [
      'gives the next login its password when a rotation is due',
      { rotation: daily },
      viewOf('open', 'closed'),
      { username: 'two', password: 'new' },
    ],
    [
      'and again, until the provider has confirmed it',
      { data: begun },
      viewOf('open', 'open'),
      { username: 'two', password: 'new' },
    ],
    [
      'and where a look does not show it',
      { data: begun, given: 'new' },
      viewOf('open', 'closed'),
      { username: 'two', password: 'new' },
    ],
    [
      'ends the former login when the next one takes its place',
      { data: begun, given: 'new', rotation: daily },
      viewOf('open', 'open'),
      { formerLogin: { name: 'one', endsInMs: 300_000 } },
    ],
    [
      'ends it after ten minutes where nothing is said',
      { data: begun, given: 'new' },
      viewOf('open', 'open'),
      { formerLogin: { name: 'one', endsInMs: 600_000 } },
    ],
    [
      'ends a login that no Secret names',
      { rotation: daily },
      viewOf('open', 'open'),
      { formerLogin: { name: 'two', endsInMs: 300_000 } },
    ],
    [
      'opens the login that the Secret names, before all else',
      { data: begun, given: 'new' },
      viewOf('ending', 'open'),
      { username: 'one', password: 'old' },
    ],
    [
      'gives a password that a user has put into the Secret',
      { data: { password: 'mine' } },
      viewOf('open', 'closed'),
      { username: 'one', password: 'mine' },
    ],
  ])('%s', (_what, situation, view, change) => {
    expect(stepOf(situation, view).change).toEqual(change);
  });

  test.each<[string, Situation, DatabaseView]>([
    ['before it is due', { rotation: daily, rotatedAt: now - 23 * hour }, viewOf('open', 'closed')],
    ['without a schedule', { rotation: { overlap: '5m' } }, viewOf('open', 'closed')],
    ['while the former login has not ended', { rotation: daily }, viewOf('open', 'ending')],
    ['while the provider works on the database', { rotation: daily }, viewOf('open', 'closed', 'pending')],
    ['that policies forbid', { rotation: daily, managementPolicies: ['Observe'] }, viewOf('open', 'closed')],
    ['at a provider that keeps one login', { rotation: daily }, { id: 'db', state: 'ready', username: 'one' }],
    [
      'for a request that was acted on',
      { annotations: { 'ordinal.dev/rotate': 'a' }, status: { token: 'a' } },
      viewOf('open', 'closed'),
    ],
    [
      'for a request that is too long to be kept',
      { annotations: { 'ordinal.dev/rotate': 'a'.repeat(254) } },
      viewOf('open', 'closed'),
    ],
  ])('is none %s', (_what, situation, view) => {
    expect(stepOf(situation, view)).toEqual({
      content: expect.objectContaining({ username: 'one', password: 'old' }) as object,
      events: [],
    });
    expect(stepOf(situation, view).content.nextPassword).toBeUndefined();
  });

  test.each<[string, Situation]>([
    ['the login is as old as that', { rotation: daily, rotatedAt: now - 24 * hour }],
    ['the clock was set back by more than that', { rotation: daily, rotatedAt: now + 25 * hour }],
    ['a user asks for it', { annotations: { 'ordinal.dev/rotate': 'b' }, status: { token: 'a' } }],
    [
      'a restore of etcd may have taken a rotation back',
      { rotation: daily, rotatedAt: now - hour, restoredAt: now - 1_000 },
    ],
  ])('begins where %s', (_what, situation) => {
    const { content, events } = stepOf(situation, viewOf('open', 'closed'));
    expect(content).toMatchObject({ username: 'one', password: 'old', nextUsername: 'two', nextPassword: 'new' });
    expect(events).toMatchObject([{ reason: 'RotationStarted' }]);
  });

  test('names the next login only when its password is confirmed, with the time and the request', () => {
    const annotations = { 'ordinal.dev/rotate': 'b' };
    expect(stepOf({ annotations }, viewOf('open', 'closed')).content.annotations).toEqual(annotations);
    expect(stepOf({ data: begun }, viewOf('open', 'open')).content).toMatchObject({
      username: 'one',
      nextUsername: 'two',
    });
    const { content, events } = stepOf({ data: begun, given: 'new' }, viewOf('open', 'open'));
    expect(content).toEqual({
      username: 'two',
      password: 'new',
      annotations: { 'ordinal.dev/rotated-at': timestamp(now) },
    });
    expect(events).toMatchObject([{ reason: 'Rotated' }]);
  });

  test('forgets what was next for a database that is there no more', () => {
    const other: DatabaseView = {
      ...viewOf('open', 'closed'),
      logins: [
        { name: 'three', state: 'open' },
        { name: 'four', state: 'closed' },
      ],
    };
    expect(stepOf({ data: begun }, other).content).toEqual({ username: 'three', password: 'old', annotations: {} });
  });
});

describe('the condition', () => {
  const conditionOf = (situation: Situation, view: DatabaseView | undefined = viewOf('open', 'closed')) => {
    const { status, reason } = rotationReport(seenWith(situation), view, now).finding ?? {};
    return status === undefined ? undefined : `${status} ${reason ?? ''}`;
  };
  const single: DatabaseView = { id: 'db', state: 'ready' };
  test.each<[string, Situation, DatabaseView | undefined, string | undefined]>([
    ['is absent where no rotation is asked for', {}, undefined, undefined],
    ['is true with a schedule', { rotation: { every: '48h', overlap: '5m' } }, undefined, 'True OnSchedule'],
    ['is true where it is new and the login is older', { rotation: daily }, undefined, 'True OnSchedule'],
    ['is true without one', { rotation: { overlap: '5m' } }, undefined, 'True OnDemand'],
    [
      'is false where a rotation is late',
      { rotation: daily, onScheduleSince: now - 25 * hour },
      undefined,
      'False Overdue',
    ],
    ['is false at a provider that keeps one login', { rotation: daily }, single, 'False Unsupported'],
    [
      'and where a user asks for a rotation',
      { annotations: { 'ordinal.dev/rotate': 'a' } },
      single,
      'False Unsupported',
    ],
    [
      'is false where policies forbid it',
      { rotation: daily, managementPolicies: ['Observe'] },
      undefined,
      'False NotPermitted',
    ],
  ])('%s', (_what, situation, view, expected) => {
    expect(conditionOf(situation, view)).toBe(expected);
  });

  test('says what to do where the provider or the database can’t', () => {
    const messageFor = (situation: Situation) => rotationReport(seenWith(situation), single, now).finding?.message;
    expect(messageFor({ rotation: daily })).toMatch(/keeps one login .*: take spec.rotation .* out/);
    expect(messageFor({ rotation: daily, externalName: 'legacy' })).toMatch(/was not made for this object/);
  });
});

test('the status has the last rotation and the next, and the former login until it has ended', () => {
  const rotatedAt = now - hour;
  const during = rotationReport(seenWith({ rotation: daily, rotatedAt }), viewOf('open', 'ending'), now);
  expect(during.status).toEqual({
    lastRotatedAt: timestamp(rotatedAt),
    nextRotationAt: timestamp(rotatedAt + 24 * hour),
    formerLogin: 'two',
  });
  expect(during.lookAgainAt).toBe(now + 31_000);
  const after = rotationReport(
    seenWith({ rotation: daily, rotatedAt, status: { formerLogin: 'two' } }),
    viewOf('open', 'closed'),
    now,
  );
  expect(after.status?.formerLogin).toBeUndefined();
  expect(after.events).toMatchObject([{ reason: 'FormerLoginEnded' }]);
  expect(after.lookAgainAt).toBe(rotatedAt + 24 * hour);
});
