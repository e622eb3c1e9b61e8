import { afterEach, expect, test, vi } from 'vitest';
import type { localReader } from '../../../tools/kubectl-ordinal/src/plan/local-reader.ts';
import type { PlanRun } from './run.ts';

const share: PlanRun = { statesPerKind: 25, seed: 1, perHistory: 6 };

/** The modules are read for each test: what a planted change has replaced is in none of the others. */
async function run(kinds: readonly string[], { statesPerKind }: Pick<PlanRun, 'statesPerKind'>) {
  const { sampledHistories } = await import('./histories.ts');
  const { comparePlans, describeWrongPlan } = await import('./run.ts');
  const histories = sampledHistories.filter(({ kind }) => kinds.includes(kind));
  const { counts, wrong } = await comparePlans(histories, { ...share, statesPerKind });
  return { counts, wrong: wrong.map(describeWrongPlan) };
}

const believed = '../../../tools/kubectl-ordinal/src/plan/believed.ts';
const local = '../../../tools/kubectl-ordinal/src/plan/local-reader.ts';
const unknown = '../../../tools/kubectl-ordinal/src/plan/unknown.ts';

afterEach(() => {
  for (const module of [believed, local, unknown]) vi.doUnmock(module);
  vi.resetModules();
});

test.each(['cache', 'kv', 'set', 'database'])(
  '%s: in each sampled state the plan is the writes that follow, in order, with what they say',
  { timeout: 300_000 },
  async (kind) => {
    const { counts, wrong } = await run([kind], share);
    expect(wrong.join('\n')).toBe('');
    expect(counts[kind]?.states).toBe(share.statesPerKind);
    expect(counts[kind]?.withWrites).toBeGreaterThan(share.statesPerKind / 4);
  },
);

test('a plan that does not believe the status of the operator is found', { timeout: 300_000 }, async () => {
  vi.resetModules();
  vi.doMock(believed, async (original) => ({
    ...(await original<object>()),
    believed: (objects: unknown) => Promise.resolve(objects),
  }));
  expect((await run(['cache'], { statesPerKind: 18 })).wrong).not.toEqual([]);
});

test('a plan that does not see the members is found', { timeout: 300_000 }, async () => {
  vi.resetModules();
  vi.doMock(local, async (original) => {
    const real = await original<{ readonly localReader: typeof localReader }>();
    const withoutPods: typeof localReader = (definition, objects) =>
      real.localReader(definition, new Map(objects).set('pods.', []));
    return { ...real, localReader: withoutPods };
  });
  expect((await run(['kv'], { statesPerKind: 10 })).wrong).not.toEqual([]);
});

test('a plan whose writes say a version that none of them makes is found', { timeout: 300_000 }, async () => {
  vi.resetModules();
  vi.doMock(unknown, async (original) => ({ ...(await original<object>()), madeBy: () => '1' }));
  expect((await run(['set'], { statesPerKind: 10 })).wrong).not.toEqual([]);
});
