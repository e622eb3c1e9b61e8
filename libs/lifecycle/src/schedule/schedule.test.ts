import { describe, expect, test } from 'vitest';
import type { Schedule } from './index.ts';
import { expectedRuns, nextRun, validateSchedule } from './index.ts';
import { lastRun, timesBetween } from './schedule.ts';

const at = (text: string): number => Date.parse(text);
const iso = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString().slice(0, 16);
const berlin = (cron: string): Schedule => ({ cron, timeZone: 'Europe/Berlin' });

/** The times after an instant, as many as are wanted. */
function times(schedule: Schedule, after: string, count: number): unknown {
  const found: (string | undefined)[] = [];
  let time: number | undefined = at(after);
  for (let index = 0; index < count && time !== undefined; index += 1) {
    time = nextRun(schedule, time);
    found.push(iso(time));
  }
  return found;
}

test.each(['0 0 */1 * 1', '0 0 *,1 * 1', '0 0 * */1 1'])('%s is every Monday, as in a CronJob', (cron) => {
  expect(iso(nextRun({ cron }, at('2026-01-01T00:00:00Z')))).toBe(iso(at('2026-01-05T00:00:00Z')));
  expect(iso(nextRun({ cron }, at('2026-01-05T00:00:00Z')))).toBe(iso(at('2026-01-12T00:00:00Z')));
});

test('the runs within a span are those of one that begins with a run', () => {
  const within = { withinMs: 30 * 86_400_000, max: 1_000 };
  expect(expectedRuns({ cron: '0 * * 2 *' }, within)).toBe(29 * 24);
  expect(expectedRuns({ cron: '0 0 29 2 *' }, within)).toBe(1);
});

describe('what is wrong with a schedule', () => {
  test.each([
    [{ cron: '0 2 * * *' }],
    [berlin('@daily')],
    [{ cron: '0 0 29 2 *', timeZone: 'UTC' }],
    [{ cron: '0 0 31 2 5', timeZone: 'Etc/GMT+5' }],
  ])('nothing: %j', (schedule) => {
    expect(validateSchedule(schedule, 'spec.schedule')).toEqual([]);
  });

  test.each([
    [{ cron: '0 2 * *' }, 'cron', 'it has 4 fields'],
    [{ cron: '0 0 30 2 *' }, 'cron', 'no date matches it'],
    [{ cron: '@daily', timeZone: 'Europe/Atlantis' }, 'timeZone', '"Europe/Atlantis" is no time zone'],
    [{ cron: '@daily', timeZone: '+02:00' }, 'timeZone', '"+02:00" is no time zone'],
    [{ cron: '@daily', timeZone: 'Local' }, 'timeZone', '"Local" is no time zone'],
    [{ cron: '@daily', timeZone: '' }, 'timeZone', '"" is no time zone'],
  ])('%j', (schedule, field, message) => {
    const error = { path: `spec.schedule.${field}`, message: expect.stringContaining(message) as string };
    expect(validateSchedule(schedule, 'spec.schedule')).toEqual([error]);
    if (field === 'timeZone') expect(nextRun(schedule, 0)).toBeUndefined();
  });
});

describe('the times of a schedule', () => {
  test('the next one is after the instant, and the last one not', () => {
    const daily = { cron: '30 2 * * *' };
    expect(iso(nextRun(daily, at('2026-05-01T02:29:59.999Z')))).toBe('2026-05-01T02:30');
    expect(iso(nextRun(daily, at('2026-05-01T02:30:00.000Z')))).toBe('2026-05-02T02:30');
    expect(iso(lastRun(daily, at('2026-05-01T02:30:00.000Z')))).toBe('2026-05-01T02:30');
    expect(iso(lastRun(daily, at('2026-05-01T02:29:59.999Z')))).toBe('2026-04-30T02:30');
    expect(iso(lastRun(daily, at('2026-05-01T02:30:59.999Z')))).toBe('2026-05-01T02:30');
  });

  test('they are those of the zone, whatever the zone of the machine', () => {
    expect(times(berlin('0 2 * * *'), '2026-07-01T00:00:30Z', 2)).toEqual(['2026-07-02T00:00', '2026-07-03T00:00']);
    expect(times({ cron: '0 2 * * *', timeZone: 'asia/kolkata' }, '2026-07-01T00:00:00Z', 1)).toEqual([
      '2026-07-01T20:30',
    ]);
  });

  test('a clock that goes forward skips no daily run', () => {
    // At 02:00 of 29 March it is 03:00 in Berlin.
    expect(times(berlin('30 2 * * *'), '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });

  test('a clock that goes back makes no daily run twice, and leaves no gap in half-hourly ones', () => {
    // At 03:00 of 25 October it is 02:00 in Berlin.
    expect(times(berlin('30 2 * * *'), '2026-10-24T00:00:00Z', 3)).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(times(berlin('*/30 * * * *'), '2026-10-25T00:00:00Z', 4)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ]);
  });

  // nextRun and lastRun are asked by turns: what one of them leaves out would be skipped or run twice.
  test.each(['30 2 * * *', '*/30 * * * *', '15 1-3 * * *', '0 0 1 * MON', '5 2,3 29 3 *', '0 4 29 2 *'])(
    '%s: each next time is the last one of its minute, and none is before it',
    (cron) => {
      for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Etc/UTC']) {
        let before = at('2026-02-25T00:00:00Z');
        for (let index = 0; index < 60; index += 1) {
          const next = nextRun({ cron, timeZone }, before);
          expect(next).toBeGreaterThan(before);
          expect(iso(lastRun({ cron, timeZone }, next!))).toBe(iso(next));
          if (index > 0) expect(iso(lastRun({ cron, timeZone }, next! - 1))).toBe(iso(before));
          before = next!;
        }
      }
    },
  );

  test('those between two instants are counted up to a number', () => {
    const hourly = { cron: '@hourly' };
    const between = { after: at('2026-01-01T00:00:00Z'), before: at('2026-01-01T04:00:00Z') };
    expect(timesBetween(hourly, { ...between, max: 100 })).toBe(3);
    expect(timesBetween(hourly, { ...between, max: 2 })).toBe(2);
    expect(timesBetween({ cron: 'none' }, { ...between, max: 2 })).toBe(0);
  });
});
