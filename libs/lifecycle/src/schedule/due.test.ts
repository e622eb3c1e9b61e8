import { describe, expect, test } from 'vitest';
import { dueRun } from './index.ts';

const at = (text: string): number => Date.parse(`2026-05-${text}:00Z`);
const daily = { cron: '0 2 * * *' };
const minute = 60_000;
const hour = 60 * minute;

describe('what a schedule asks for', () => {
  test('nothing before its time', () => {
    expect(dueRun(daily, { settled: at('01T00:00'), now: at('01T01:59') })).toEqual({
      passedOver: 0,
      next: at('01T02:00'),
      clockWasAhead: false,
    });
  });

  test('a run at its time, once', () => {
    const seen = { settled: at('01T00:00'), now: at('01T02:00') };
    expect(dueRun(daily, seen)).toEqual({
      due: at('01T02:00'),
      beginsUntil: at('01T14:00'),
      passedOver: 0,
      next: at('02T02:00'),
      clockWasAhead: false,
    });
    expect(dueRun(daily, { ...seen, settled: at('01T02:00') })).toMatchObject({ next: at('02T02:00') });
    expect(dueRun(daily, { ...seen, settled: at('01T02:00') })).not.toHaveProperty('due');
  });

  test('of those that were missed only the newest, as long as it is not too late', () => {
    const settled = at('01T02:00');
    expect(dueRun(daily, { settled, now: at('05T10:00') })).toMatchObject({ due: at('05T02:00'), passedOver: 3 });
    expect(dueRun(daily, { settled, now: at('05T14:01') })).toMatchObject({ missed: at('05T02:00'), passedOver: 3 });
    expect(dueRun(daily, { settled, now: at('05T10:00'), deadlineMs: hour })).toMatchObject({ missed: at('05T02:00') });
    expect(dueRun(daily, { settled, now: at('05T02:59'), deadlineMs: hour })).toMatchObject({ due: at('05T02:00') });
    expect(dueRun(daily, { settled, now: at('05T14:01') })).not.toHaveProperty('due');
  });

  test('a deadline that is longer than the interval makes up for the newest only', () => {
    const seen = { settled: at('01T02:00'), now: at('04T01:00'), deadlineMs: 100 * hour };
    expect(dueRun(daily, seen)).toMatchObject({ due: at('03T02:00'), passedOver: 1 });
  });

  test('after years of absence as fast as after a day', () => {
    const seen = { settled: 0, now: at('05T02:01') };
    expect(dueRun({ cron: '* * * * *' }, seen)).toMatchObject({ due: at('05T02:01'), passedOver: 100 });
  });

  test('a clock that is set back makes no second run, and stops the schedule for one run at most', () => {
    const settled = at('05T02:00');
    expect(dueRun(daily, { settled, now: at('05T01:00') })).toEqual({
      passedOver: 0,
      next: at('06T02:00'),
      clockWasAhead: false,
    });
    expect(dueRun(daily, { settled, now: at('04T02:30') })).toMatchObject({ clockWasAhead: false });
    expect(dueRun(daily, { settled, now: at('03T02:30') })).toMatchObject({ clockWasAhead: true });
  });

  test('a schedule that is invalid asks for nothing', () => {
    expect(dueRun({ cron: 'none' }, { settled: 0, now: at('05T02:00') })).toEqual({
      passedOver: 0,
      clockWasAhead: false,
    });
  });
});
