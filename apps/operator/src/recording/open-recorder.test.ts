import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@ordinal/client';
import { silentLogger } from '@ordinal/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { openRecorder } from './open-recorder.ts';
import { RotatingFile } from './rotating-file.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'recording-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('a file is put aside where another one begins, and the oldest goes', async () => {
  const place = join(folder(), 'made', 'operator.rec');
  const file = new RotatingFile(place, 2);
  for (const part of ['one', 'two', 'three']) await file.append(Buffer.from(part), true);
  await file.append(Buffer.from(' and more'), false);
  await file.close();
  expect(readFileSync(place, 'utf8')).toBe('three and more');
  expect(readFileSync(`${place}.1`, 'utf8')).toBe('two');
  expect(readdirSync(join(place, '..'))).toHaveLength(2);
  expect(statSync(place).mode & 0o777).toBe(0o600);
});

test('what an earlier process has left is put aside, and not written on', async () => {
  const place = join(folder(), 'operator.rec');
  writeFileSync(place, 'earlier');
  const file = new RotatingFile(place, 2);
  await file.append(Buffer.from('now'), false);
  await file.close();
  expect(readFileSync(`${place}.1`, 'utf8')).toBe('earlier');
});

test('a key that can be guessed is refused; without --record nothing is recorded', () => {
  const place = folder();
  writeFileSync(join(place, 'key'), 'short');
  const parts = { clock: systemClock, log: silentLogger, version: '1', identity: 'a' };
  const settings = { record: `${place}/`, recordBytes: 1_048_576, recordKey: join(place, 'key') };
  expect(() => openRecorder({ ...parts, settings })).toThrow('fewer than 32 bytes');
  expect(openRecorder({ ...parts, settings: { ...settings, record: '' } })).toBeUndefined();
});
