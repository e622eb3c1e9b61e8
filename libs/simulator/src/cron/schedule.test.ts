import { expect, it } from 'vitest';
import { ScheduleError } from './fields.ts';
import { parseSchedule } from './schedule.ts';

const times = (text: string, from: string, zone?: string): readonly string[] => {
  const schedule = parseSchedule(text, zone);
  const found: string[] = [];
  let at: number | undefined = Date.parse(from);
  for (let count = 0; count < 3; count += 1) {
    at = at === undefined ? undefined : schedule.next(at);
    found.push(at === undefined ? 'never' : new Date(at).toISOString().slice(0, 16));
  }
  return found;
};

it.each([
  ['* * * * *', ['2026-01-01T00:01', '2026-01-01T00:02', '2026-01-01T00:03']],
  ['*/20 6,18 * * ?', ['2026-01-01T06:00', '2026-01-01T06:20', '2026-01-01T06:40']],
  ['0 0 13 * FRI', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00']],
  ['0 0 29 feb *', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
  ['@monthly', ['2026-02-01T00:00', '2026-03-01T00:00', '2026-04-01T00:00']],
  ['@every 90m', ['2026-01-01T01:30', '2026-01-01T03:00', '2026-01-01T04:30']],
  ['0 0 31 2 *', ['never', 'never', 'never']],
])('%s', (text, expected) => {
  expect(times(text, '2026-01-01T00:00:00Z')).toEqual(expected);
});

it('goes by the clocks of a zone, which leave out an hour in spring', () => {
  expect(times('30 2 * * *', '2026-03-27T12:00:00Z', 'Europe/Berlin')).toEqual([
    '2026-03-28T01:30',
    '2026-03-30T00:30',
    '2026-03-31T00:30',
  ]);
});

it.each(['', '* * * *', '61 * * * *', '* * * * 7', '*/0 * * * *', 'x * * * *', '@sometimes', '@every 5'])(
  'refuses %j',
  (text) => {
    expect(() => parseSchedule(text)).toThrow(ScheduleError);
  },
);
