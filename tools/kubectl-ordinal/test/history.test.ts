import { expect, onTestFinished, test } from 'vitest';
import { historyIn } from '../src/history/read.ts';
import { contentsAt, partiesAt } from '../src/history/moment.ts';
import type { StepAnswer } from '../src/console/wire.ts';
import { runConsole } from './console-client.ts';
import { pluginWorld } from './plugin-world.ts';
import { recordedHistory } from './recorded.ts';

test('a recorded history shows what was there, and what the operator knew, at each step', async () => {
  const { recorded, members } = await recordedHistory();
  const history = historyIn(JSON.stringify(recorded));
  const { entries } = history;
  const [first] = history.violations;
  expect(first).toMatchObject({ oracle: 'there are at most two members' });
  const names = (step: number) => contentsAt(history, step).pods.map(({ metadata }) => metadata.name);
  expect(names(0)).toEqual([]);
  expect(names(entries.length).sort()).toEqual(members.map(({ metadata }) => metadata.name));
  expect(names(first?.entry ?? 0)).not.toContain('sessions-2');
  expect(names((first?.entry ?? 0) + 1)).toContain('sessions-2');
  const versions = contentsAt(history, entries.length).pods.map(({ metadata }) => metadata.resourceVersion);
  expect(versions.sort()).toEqual(members.map(({ metadata }) => metadata.resourceVersion).sort());
  const at = (step: number) => partiesAt(history, step, ({ metadata }) => metadata.name.startsWith('sessions'))[0];
  const crash = entries.findIndex(({ action }) => action === 'crash') + 1;
  expect(crash).toBeGreaterThan(0);
  expect([at(crash - 1)?.isRunning, at(crash)?.isRunning]).toEqual([true, false]);
  expect(at(crash)?.known).toEqual([]);
  const last = at(entries.length);
  expect(last?.known.map(({ what }) => what)).toContain('pods sessions-2');
  expect(last?.known.filter(({ is }) => is !== 'current')).toEqual([]);
  // A pod is there before the operator hears of it.
  const made =
    entries.findIndex(({ action, subject }) => action === 'create' && subject === 'pods shop/sessions-0') + 1;
  expect(at(made)?.known).toContainEqual({ what: 'pods sessions-0', is: 'not seen', behind: 1 });
});

test('the console shows it step by step, and reaches no cluster', async () => {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  const { recorded } = await recordedHistory();
  const console = await runConsole(world, '--history found.json', () => Promise.resolve(JSON.stringify(recorded)));
  onTestFinished(() => console.end().then(() => undefined));
  const { hello } = await console.follow('/api/live', ({ hello: sent }) => sent !== undefined);
  const steps = hello?.history?.steps ?? 0;
  expect(hello).toMatchObject({
    canWrite: false,
    history: { scenario: 'a cache is made', struck: [expect.any(Number)] },
  });
  const step = async (n: unknown) => console.ask(`/api/step?n=${String(n)}&of=ClusteredCache/shop/sessions`);
  const last = (await step(steps)).json as StepAnswer;
  expect(last.rows).toMatchObject([{ name: 'sessions', tone: 'good', ready: 3 }]);
  expect(last.detail?.view.members).toHaveLength(3);
  expect(last.parties[0]).toMatchObject({ isRunning: true });
  const created =
    recorded.entries.findIndex(({ action, subject }) => action === 'create' && subject.startsWith('clusteredcaches')) +
    1;
  expect(((await step(created)).json as StepAnswer).detail?.view.members).toEqual([]);
  expect((await step(created - 1)).json).not.toHaveProperty('detail');
  for (const wrong of [-1, steps + 1, 'x', 1.5]) expect(await step(wrong)).toMatchObject({ status: 422 });
  expect(await console.ask('/api/act', { key: 'ClusteredCache/shop/sessions', verb: 'pause', does: '' })).toMatchObject(
    { status: 404 },
  );
  expect(world.requests).toEqual([]);
});

test.each([
  ['{', 'is no recorded history'],
  ['{}', 'its format has to be ordinal-history/1'],
  ['{"format":"ordinal-history/1","entries":[]}', 'changes has to be a list'],
])('%s is refused', async (text, says) => {
  const { run, stop } = await pluginWorld();
  onTestFinished(stop);
  const { exitCode, err } = await run('console --history x.json', { readFile: () => Promise.resolve(text) });
  expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining(says) as string });
});
