import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Report } from './report.ts';

let folder = '';
let report: Report;
let printed: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordinal-report-'));
  report = new Report(folder, () => Promise.resolve({}));
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** What was printed, a line each, without how long it took. */
const lines = (): readonly string[] =>
  printed.flatMap((text) => text.split('\n').map((line) => line.replace(/ +\d+\.\d s/, '').trim()));
const turn = (): { readonly come: () => void; readonly here: Promise<void> } => {
  let come = (): void => undefined;
  const here = new Promise<void>((resolve) => (come = resolve));
  return { come: () => come(), here };
};

test('scenarios that run at the same time print their lines together, the one first that ends first, and count as one run', async () => {
  const [early, late] = [turn(), turn()];
  const running = report.together([
    (own) =>
      own.scenario('slow', async () => {
        await own.step('begins', () => Promise.resolve('first'));
        early.come();
        await own.step('ends', () => late.here);
      }),
    async (own) => {
      await early.here;
      await own.scenario('quick', () => own.step('works', () => Promise.resolve()));
      own.skip('another', 'nothing is there');
    },
  ]);
  await vi.waitFor(() => expect(lines()).toContain('quick'));
  expect(lines()).not.toContain('slow');
  late.come();
  await running;
  expect(lines().filter((line) => line !== '')).toEqual([
    ...['quick', 'ok  works', 'in all', 'skipped           another: nothing is there'],
    ...['slow', 'ok  begins: first', 'ok  ends', 'in all'],
  ]);
  expect({ passed: report.passed, failed: report.failed, skipped: report.skipped }).toEqual({
    ...{ passed: 3, failed: 0, skipped: 1 },
  });
});

test('a step that fails ends its own scenario, and the other one goes on', async () => {
  const failed = turn();
  await report.together([
    (own) =>
      own
        .scenario('bad', async () => {
          await own.step('breaks', () => Promise.reject(new Error('no answer')));
          await own.step('is not reached', () => Promise.resolve());
        })
        .then(failed.come),
    (own) =>
      own.scenario('good', async () => {
        await failed.here;
        await own.step('works', () => Promise.resolve());
      }),
  ]);
  expect({ passed: report.passed, failed: report.failed }).toEqual({ passed: 1, failed: 1 });
  expect(lines()).toContain('failed  breaks: no answer');
  expect(lines()).not.toContain('ok  is not reached');
  expect(existsSync(join(folder, 'breaks', 'error.txt'))).toBe(true);
});

test('what is no step and fails is thrown when the others have ended, and what they printed stands', async () => {
  const broken = new Error('the namespace can’t be made');
  const last = turn();
  const running = report.together([
    () => Promise.reject(broken),
    (own) => own.scenario('good', () => own.step('works', () => last.here)),
  ]);
  last.come();
  await expect(running).rejects.toBe(broken);
  expect(report.passed).toBe(1);
  expect(lines()).toContain('ok  works');
});
