import { expect, test } from 'vitest';
import { Silence, spentMs } from './silence.ts';

test('a process that works for too long without a word is given up, and each word gives it that long again', () => {
  let spent = 5_000;
  const silence = new Silence(() => spent);
  spent += 179_000;
  expect(silence.verdict).toBeUndefined();
  silence.heard();
  spent += 179_000;
  expect(silence.verdict).toBeUndefined();
  spent += 1_000;
  expect(silence.verdict).toBe('nothing for 180 s of its CPU time');
});

test.runIf(process.platform === 'linux')(
  'the time of a process is what it has worked, so that a machine that is busy with others gives no false alarm',
  async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { user, system } = process.cpuUsage();
    expect(Math.abs(spentMs(process.pid) - (user + system) / 1_000)).toBeLessThan(100);
  },
);
