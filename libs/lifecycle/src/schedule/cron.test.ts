import { describe, expect, test } from 'vitest';
import { parseCron } from './cron.ts';

describe('a cron expression', () => {
  test.each([
    ['0 2 * * *', '0 2 * * *'],
    ['  */15   0-6/2  1,15 JAN-mar mon-FRI ', '*/15 0-6/2 1,15 1-3 1-5'],
    ['0 0 * * 7', '0 0 * * 7'],
    ['@daily', '0 0 * * *'],
    ['@Hourly', '0 * * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@yearly', '0 0 1 1 *'],
  ])('%j is read as %j', (text, expression) => {
    expect(parseCron(text)).toEqual({ expression });
  });

  test.each([
    ['', 'it has 0 fields, and five are wanted: minute, hour, day of month, month, day of week'],
    ['0 0 2 * * *', 'it has 6 fields, and five are wanted: minute, hour, day of month, month, day of week'],
    ['@every 1h', '"@every 1h" is none of @yearly, '],
    ['TZ=Europe/Berlin 0 2 * * *', 'a time zone is set in timeZone, and not in the expression'],
    ['60 * * * *', '"60" is no minute: it is from 0 to 59'],
    ['0 24 * * *', '"24" is no hour: it is from 0 to 23'],
    ['0 0 0 * *', '"0" is no day of month: it is from 1 to 31'],
    ['0 0 * FOO *', '"FOO" is no month: it is from 1 to 12, or JAN, FEB'],
    ['0 0 * * 8', '"8" is no day of week: it is from 0 to 7, or SUN'],
    ['5/15 * * * *', '"5/15" is no minute: a step needs * or a range before it'],
    ['*/0 * * * *', '"*/0" is no minute: a step is from 1 to 59'],
    ['30-10 * * * *', '"30-10" is no minute: the range ends before it begins'],
    ['0 0 L * *', '"L" is no day of month'],
    ['0 0 15W * *', '"15W" is no day of month'],
    ['0 0 * * FRI#2', '"FRI#2" is no day of week'],
    ['0 0 ? * *', '"?" is no day of month: write it like *, 5, 1-5, */2 or 1-5/2'],
    ['*,, * * * *', '"" is no minute'],
    ['1'.repeat(100_000), 'it is longer than 100 characters'],
  ])('%.40j is refused', (text, fault) => {
    expect(parseCron(text)).toEqual({ fault: expect.stringContaining(fault) as string });
  });
});
