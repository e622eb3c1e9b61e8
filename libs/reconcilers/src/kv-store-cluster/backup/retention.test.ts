import { expect, test } from 'vitest';
import type { Observation } from '../observation.ts';
import type { BackupRecord } from './records.ts';
import { decideRetention } from './retention.ts';

const now = Date.UTC(2026, 4, 10, 12);

const made = (scheduledAt: string, finishedAt = scheduledAt): BackupRecord => ({
  ...{ name: scheduledAt, job: scheduledAt, result: 'Succeeded', scheduledAt, finishedAt },
});

/** The names that are kept. */
function kept(retention: object, backups: readonly BackupRecord[], status: object = {}): readonly string[] {
  const cluster = { spec: { backup: { retention } }, status };
  // Nothing else of it is read where there is no Job that prunes.
  return decideRetention({ cluster } as unknown as Observation, backups, now).backups.map(({ name }) => name);
}

const days = ['2026-05-08T02:00:00Z', '2026-05-09T02:00:00Z', '2026-05-10T02:00:00Z'] as const;

test('the oldest goes, by count and by age', () => {
  const backups = days.map((day) => made(day));
  expect(kept({ count: 2 }, backups)).toEqual(days.slice(1));
  expect(kept({ age: '25h' }, backups)).toEqual(days.slice(1));
});

test('what a clock that was ahead has made takes the place of none that was made since', () => {
  const ahead = made('2027-05-10T02:00:00Z');
  expect(kept({ count: 1 }, [made(days[1]), made(days[2]), ahead])).toEqual([days[2], ahead.name]);
  expect(kept({ age: '25h' }, [made(days[1]), made(days[2]), ahead])).toEqual([days[1], days[2], ahead.name]);
});

test('a Job that says that it has ended in a year takes nothing along', () => {
  const forged = made(days[2], '2027-05-10T02:00:00Z');
  expect(kept({ age: '36h' }, [made(days[0]), made(days[1]), forged])).toEqual([days[1], days[2]]);
});

test('what a drill restores stays', () => {
  const backups = days.map((day) => made(day));
  expect(kept({ count: 1 }, backups, { drills: [{ name: 'first', backup: days[0] }] })).toEqual([days[0], days[2]]);
});

test('what the next drill would restore stays, also where a newer one has ended before it', () => {
  const backups = days.map((day) => made(day));
  expect(kept({ count: 1 }, backups, { lastBackup: { name: days[1] } })).toEqual([days[1], days[2]]);
});
