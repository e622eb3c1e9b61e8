import type { Clock } from '@ordinal/client';
import { expect, test } from 'vitest';
import { FlightRecorder } from './flight-recorder.ts';
import { readRecording } from './read-recording.ts';
import { RecordingWriter } from './recording-writer.ts';
import type { ControllerDefinition } from '../builder/definition.ts';
import type { ReconcileContext } from '../reconciler.ts';

const kind = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const pod = Object.freeze({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
});

/** Time that passes by hand. */
function manualClock(): Clock & { readonly pass: (ms: number) => void } {
  let now = 0;
  let timers: { readonly due: number; readonly action: () => void }[] = [];
  return {
    now: () => now,
    after: (ms, action) => {
      const timer = { due: now + ms, action };
      timers.push(timer);
      return { cancel: () => void (timers = timers.filter((each) => each !== timer)) };
    },
    pass(ms) {
      for (const end = now + ms; now < end;) {
        now += 250;
        const due = timers.filter((timer) => timer.due <= now);
        timers = timers.filter((timer) => timer.due > now);
        for (const { action } of due) action();
      }
    },
  };
}

function started({ fileBytes = 1e9, elapsed = (): number => 0, failures = new Set<number>() } = {}) {
  const clock = manualClock();
  const files: Uint8Array[][] = [];
  let parts = 0;
  const writer = new RecordingWriter({
    ...{ clock, version: '1', fileBytes, elapsed, cpu: () => 0, hide: (value) => value },
    sink: {
      append: (part, isFirst) => {
        if (failures.has((parts += 1))) return Promise.reject(new Error('no space left'));
        if (isFirst) files.push([]);
        files.at(-1)?.push(part);
        return Promise.resolve();
      },
    },
  });
  const definition = {
    name: 'pods',
    reconcile: (key, context) => {
      context.cache.get(kind, key);
      context.decided?.({ actions: [] });
      return Promise.resolve({});
    },
  } as Pick<ControllerDefinition, 'name' | 'reconcile'> as ControllerDefinition;
  const { reconcile } = new FlightRecorder(writer.take).controller(definition);
  const context = { cache: { get: () => pod }, clock, failures: 0, signal: new AbortController().signal };
  const run = () => reconcile({ namespace: '', name: 'a' }, context as unknown as ReconcileContext);
  const read = async (index: number) => (await readRecording(Buffer.concat(files[index] ?? []))).lines;
  return { clock, writer, run, files, read };
}

test('a reconcile is in the file: what it saw, once, and what it decided each time', async () => {
  const { run, writer, read } = started();
  await run();
  await run();
  await writer.flush();
  const lines = await read(0);
  expect(lines.map(({ type }) => type)).toEqual(['recording', 'object', 'reconcile', 'reconcile']);
  expect(lines[2]).toMatchObject({ seen: { pods: [1] }, asked: ['get pods  a'], decisions: [{ actions: [] }] });
});

test('nothing is encoded in a reconcile, and it is written a few seconds later', async () => {
  const { run, clock, files } = started();
  await run();
  expect(files).toEqual([]);
  clock.pass(6_000);
  await Promise.resolve();
  expect(files).toHaveLength(1);
});

test('each file can be read alone', async () => {
  const { run, writer, read, files } = started({ fileBytes: 1 });
  await run();
  await writer.flush();
  await run();
  await writer.flush();
  expect(files).toHaveLength(2);
  expect((await read(1)).map(({ type }) => type)).toEqual(['recording', 'object', 'reconcile']);
});

test('after a part that could not be written another file begins, which can be read alone', async () => {
  const { run, writer, read, files } = started({ failures: new Set([1, 3]) });
  for (let count = 0; count < 5; count += 1) {
    await run();
    await writer.flush();
  }
  expect(files).toHaveLength(2);
  for (const index of [0, 1])
    expect((await read(index)).map(({ type }) => type)).toEqual(
      index === 0
        ? ['recording', 'object', 'reconcile', 'dropped']
        : ['recording', 'object', 'reconcile', 'dropped', 'reconcile'],
    );
});

test('what does not fit is counted, and the recording says so', async () => {
  const { run, writer, read } = started();
  for (let count = 0; count < 5_000; count += 1) await run();
  await writer.flush();
  const lines = await read(0);
  expect(lines.filter(({ type }) => type === 'reconcile')).toHaveLength(4_096);
  expect(lines.find(({ type }) => type === 'dropped')).toMatchObject({ count: 5_000 - 4_096 });
});

test('it takes no more than its share: where each record takes a millisecond, five in two seconds', async () => {
  let spent = 0;
  const { run, clock, writer, read } = started({ elapsed: () => (spent += 0.5) });
  for (let count = 0; count < 1_000; count += 1) await run();
  const before = spent;
  clock.pass(10_000);
  // A quarter of a hundredth of a processor: 25 ms of 10 s, and what the last record of a turn takes.
  expect(spent - before).toBeLessThan(65);
  await writer.flush();
  expect((await read(0)).filter(({ type }) => type === 'reconcile')).toHaveLength(1_000);
});

test('a file whose end is missing is read as far as it goes; what is none is refused', async () => {
  const { run, writer, files } = started();
  await run();
  await writer.flush();
  await run();
  await writer.flush();
  const whole = Buffer.concat(files[0] ?? []);
  const cut = await readRecording(whole.subarray(0, -5));
  expect(cut.isCutOff).toBe(true);
  expect(cut.lines.length).toBeGreaterThan(0);
  await expect(readRecording(Buffer.from('no recording'))).rejects.toThrow('this is no recording of the operator');
});
