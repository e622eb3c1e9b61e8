import { timestamp } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import type { ExternalObservation } from './decision.ts';
import { decideDelete } from './delete.ts';
import { ExternalError } from './error.ts';
import { announced, callWindowMs, refused } from './record.ts';
import type { ExternalRecord } from './record.ts';
import { decideEnsure } from './ensure.ts';
import type { ExternalView } from './system.ts';

interface Desired {
  readonly size: string;
}
interface View extends ExternalView {
  readonly size?: string;
}
type Seen = ExternalObservation<Desired, View>;

const now = Date.UTC(2026, 0, 1);
const intervals = { movingMinMs: 2_000, movingMaxMs: 60_000, steadyMs: 600_000 };
const thing: View = { id: 't1', owner: 'me', token: 'me-1', state: 'ready', size: 'small' };
const made = { ...announced('me', 1, now - 3_600_000), id: 't1' };
const announcedBefore = announced('me', 1, now - 1_000);
const longAgo = announced('me', 1, now - 3_600_000);
const absentFor = (record: ExternalRecord, ms: number): ExternalRecord => ({
  ...record,
  absentSince: new Date(now - ms).toISOString(),
});
const all = { create: true, update: true, delete: true };

const seen = (change: Partial<Seen> = {}): Seen => ({
  owner: 'me',
  noun: 'thing',
  record: made,
  lookup: { kind: 'answered', views: [thing], byId: true },
  desired: { size: 'small' },
  changeFor: ({ size }) => (size === 'small' ? undefined : { size: 'small' }),
  policy: all,
  traits: { repeatedCreate: 'makesAnother', settleMs: 10_000, callTimeoutMs: 5_000 },
  now,
  random: 0.5,
  intervals,
  ...change,
});
const prompt = { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 } as const;
const imported: ExternalRecord = { token: 'me-1', incarnation: 1, id: 't1', imported: true };
/** A restore may have taken the record of the import. */
const lostImport: ExternalRecord = { ...announcedBefore, imported: true };
const views = (...found: View[]): Seen['lookup'] => ({ kind: 'answered', views: found, byId: false });
const outcome = (change: Partial<Seen>) => {
  const { externalStatus, calls } = decideEnsure(seen(change));
  return [externalStatus.reason, ...calls.map(({ call }) => call.verb)].join(' ');
};

test('what is being deleted is remembered where no record tells of it, so that a deletion waits for it (I23)', () => {
  const lookup = views({ ...thing, state: 'deleting' });
  const { record, externalStatus } = decideEnsure(seen({ record: undefined, lookup }));
  expect([externalStatus.reason, record?.id, record?.token]).toEqual(['BeingDeleted', 't1', 'me-1']);
  expect(decideDelete(seen({ record, lookup: { kind: 'skipped' } })).done).not.toBe(true);
  expect(decideEnsure(seen({ record: announcedBefore, lookup })).record).toEqual(announcedBefore);
});

test.each<[string, Partial<Seen>, string]>([
  ['nothing was ever made', { record: undefined, lookup: views() }, 'Creating create'],
  ['it is there and as wanted', {}, 'Available'],
  ['it differs', { lookup: { kind: 'answered', views: [{ ...thing, size: 'large' }], byId: true } }, 'Updating update'],
  [
    'it differs, and may not be changed',
    {
      lookup: { kind: 'answered', views: [{ ...thing, size: 'large' }], byId: true },
      policy: { ...all, update: false },
    },
    'OutOfSync',
  ],
  [
    'it is on its way',
    { lookup: { kind: 'answered', views: [{ ...thing, state: 'pending' }], byId: true } },
    'Creating',
  ],
  ['it has failed', { lookup: { kind: 'answered', views: [{ ...thing, state: 'failed' }], byId: true } }, 'Failed'],
  ['two carry the mark', { record: announcedBefore, lookup: views(thing, { ...thing, id: 't2' }) }, 'Ambiguous'],
  [
    'an older one is being deleted',
    { record: announcedBefore, lookup: views({ ...thing, state: 'deleting' }) },
    'BeingDeleted',
  ],
  [
    'the creation is in doubt, and the provider makes another',
    { record: announcedBefore, lookup: views() },
    'Settling',
  ],
  [
    'the creation is in doubt, and the provider knows tokens',
    {
      record: announcedBefore,
      lookup: views(),
      traits: { repeatedCreate: 'returnsFirst', settleMs: 10_000, callTimeoutMs: 5_000 },
    },
    'Creating create',
  ],
  ['the creation had no effect by the clock alone', { record: longAgo, lookup: views() }, 'Settling'],
  ['the creation had no effect at a second look', { record: absentFor(longAgo, 5_000), lookup: views() }, 'Settling'],
  [
    'the creation had no effect for certain',
    { record: absentFor(longAgo, 27_000), lookup: views() },
    'Creating create',
  ],
  ['the creation is found out', { record: announcedBefore, lookup: views(thing) }, 'Available'],
  ['it is denied', { lookup: views() }, 'Vanished'],
  ['it was denied a moment ago', { record: absentFor(made, 20_000), lookup: views() }, 'Vanished'],
  ['it was denied long ago', { record: absentFor(made, 60_000), lookup: views() }, 'Creating create'],
  ['it is denied but still in lists', { lookup: views(thing) }, 'Settling'],
  [
    'it belongs to another',
    { lookup: { kind: 'answered', views: [{ ...thing, owner: 'other' }], byId: true } },
    'OwnedByAnother',
  ],
  [
    'an import is not there',
    { record: undefined, lookup: views(), policy: { ...all, importName: 'x' } },
    'ImportNotFound',
  ],
  [
    'an import is there',
    { record: undefined, lookup: views({ ...thing, owner: undefined }), policy: { ...all, importName: 'x' } },
    'Available',
  ],
  [
    'an import vanished',
    {
      record: { ...made, imported: true, absentSince: new Date(0).toISOString() },
      lookup: views(),
      policy: { ...all, importName: 'x' },
    },
    'ImportNotFound',
  ],
  ['creating is forbidden', { record: undefined, lookup: views(), policy: { ...all, create: false } }, 'NotCreated'],
])('%s', (_what, change, expected) => {
  expect(outcome(change)).toBe(expected);
});

describe('a creation', () => {
  test('is announced with its token, and not sent when the announcement is old', () => {
    const { record, calls } = decideEnsure(seen({ record: undefined, lookup: views() }));
    expect(record).toEqual(announced('me', 1, now));
    expect(calls[0]?.call).toMatchObject({ verb: 'create', token: 'me-1', notAfter: now + callWindowMs });
  });

  test('of what has vanished has a token of its own', () => {
    const record = { ...made, absentSince: new Date(0).toISOString() };
    expect(decideEnsure(seen({ record, lookup: views() })).record).toEqual(announced('me', 2, now));
  });

  test('that was adopted without a record knows which one it was', () => {
    const { record } = decideEnsure(seen({ record: undefined, lookup: views({ ...thing, token: 'me-3' }) }));
    expect(record).toMatchObject({ id: 't1', token: 'me-3', incarnation: 3 });
  });
});

describe('what is leaving', () => {
  const refusedOnce = refused(announced('me', 1, now), undefined);
  const denied = new ExternalError('Refused', 'the token is wrong', { applied: 'no' });
  const unsupported = { kind: 'unsupported', isAsked: true } as const;
  const leaving = (change: Partial<Seen>) => {
    const { externalStatus, calls, done } = decideDelete(seen(change));
    return [externalStatus.reason, ...calls.map(({ call }) => call.verb), ...(done ? ['done'] : [])].join(' ');
  };
  test.each<[string, Partial<Seen>, string]>([
    ['was never announced', { record: undefined, lookup: { kind: 'skipped' } }, 'Gone done'],
    ['was never announced, and is not shown', { record: undefined, lookup: views() }, 'Gone done'],
    ['was refused, and is not shown', { record: refusedOnce, lookup: views() }, 'Gone done'],
    ['was refused, and is there all the same', { record: refusedOnce, lookup: views(thing) }, 'Deleting delete'],
    [
      'was refused by what can’t be asked',
      { record: refusedOnce, lookup: { kind: 'failed', error: denied } },
      'Gone done',
    ],
    ['was refused where nothing can be looked up', { record: refusedOnce, lookup: unsupported }, 'Gone done'],
    ['was announced, and no look-up was made', { lookup: { kind: 'skipped' } }, 'Deleting'],
    ['stays by policy', { policy: { ...all, delete: false } }, 'Retained done'],
    ['is there', {}, 'Deleting delete'],
    ['is going', { lookup: { kind: 'answered', views: [{ ...thing, state: 'deleting' }], byId: true } }, 'Deleting'],
    ['is denied for the first time', { lookup: views() }, 'Deleting'],
    ['was denied a moment ago', { record: absentFor(made, 5_000), lookup: views() }, 'Deleting'],
    ['is gone', { record: absentFor(made, 12_000), lookup: views() }, 'Gone done'],
    ['is gone, and its provider shows everything at once', { lookup: views(), traits: prompt }, 'Gone done'],
    ['is in doubt', { record: announcedBefore, lookup: views() }, 'Deleting'],
    ['is in doubt, and the clock was set forward', { record: longAgo, lookup: views() }, 'Deleting'],
    ['is in doubt no more', { record: absentFor(longAgo, 27_000), lookup: views() }, 'Gone done'],
    ['was imported, and is denied for the first time', { record: imported, lookup: views() }, 'Deleting'],
    ['was imported, and is gone', { record: absentFor(imported, 12_000), lookup: views() }, 'Gone done'],
    [
      'was imported in what a restore has lost, and is found by its name',
      { record: lostImport, lookup: views({ id: 't1', state: 'ready' }) },
      'Deleting delete',
    ],
    ['was imported in what a restore has lost, and is not found', { record: lostImport, lookup: views() }, 'Deleting'],
    [
      'was imported in what a restore has lost, where another’s has its name',
      { record: lostImport, lookup: views({ ...thing, owner: 'other' }) },
      'Deleting',
    ],
    [
      'is new and denied',
      { record: { ...made, createAttemptedAt: announcedBefore.createAttemptedAt ?? '' }, lookup: views() },
      'Deleting delete',
    ],
    [
      'was made twice',
      { record: announcedBefore, lookup: views(thing, { ...thing, id: 't2' }) },
      'Deleting delete delete',
    ],
    [
      'belongs to another',
      { lookup: { kind: 'answered', views: [{ ...thing, owner: 'other' }], byId: true } },
      'Gone done',
    ],
  ])('%s', (_what, change, expected) => {
    expect(leaving(change)).toBe(expected);
  });
});

describe('a moment in the record that is yet to come, because the clock was set back,', () => {
  const ahead = announced('me', 1, now + 3_600_000);

  test('is taken for the present one', () => {
    const { record, externalStatus } = decideEnsure(seen({ record: absentFor(ahead, -3_600_000), lookup: views() }));
    expect(externalStatus.reason).toBe('Settling');
    expect(record).toEqual(announced('me', 1, now));
  });

  test('makes the doubt about what is missing begin anew', () => {
    const { record } = decideEnsure(seen({ record: absentFor(made, -3_600_000), lookup: views() }));
    expect(record).toEqual({ ...made, absentSince: timestamp(now) });
  });

  test('holds no deletion up', () => {
    const { record } = decideDelete(seen({ record: ahead, lookup: views() }));
    expect(record).toEqual({ ...announced('me', 1, now), deleteRequestedAt: timestamp(now) });
  });
});

test('a deletion that takes long is looked at ever more slowly, and does not begin anew', () => {
  const deleteRequestedAt = new Date(now - 240_000).toISOString().slice(0, 19) + 'Z';
  const leaving = { ...thing, state: 'deleting' } as const;
  const { record, lookAgainAt } = decideDelete(
    seen({ record: { ...made, deleteRequestedAt }, lookup: views(leaving) }),
  );
  expect(record?.deleteRequestedAt).toBe(deleteRequestedAt);
  expect(lookAgainAt).toBe(now + 30_000);
});
