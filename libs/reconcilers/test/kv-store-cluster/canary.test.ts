import { describe, expect, test } from 'vitest';
import { images, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, ready } from './store-steps.ts';

describe('a canary', () => {
  const canary = { upgradeStrategy: 'Canary', port: 6379 } as const;

  test.each([
    ['the pod itself', {}],
    ['the API server’s proxy', { via: 'Proxy' }],
  ] as const)('that answers no is rolled back (by %s)', async (_how, by) => {
    const cluster = await ready({
      ...canary,
      canary: { analysis: { http: { path: '/good', ...by }, failureThreshold: 2 } },
    });
    cluster.image('my-repo/kvstore:2.0', { http: ({ url }) => (url.pathname === '/good' ? 500 : 200) });
    await change(cluster, { version: '2.0' });
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    await cluster.run({
      until: () => images(cluster).every((image) => image === '1.0') && images(cluster).length === 3,
      maxVirtualMs: 600_000,
    });
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    expect(storeNow(cluster)?.status?.failure).toMatchObject({ reason: 'AnalysisFailed' });
    await cluster.advance(3_600_000);
    expect([storeNow(cluster)?.status?.phase, images(cluster)]).toEqual(['Failed', ['1.0', '1.0', '1.0']]);
    cluster.stop();
  });

  test.each([
    ['no', 1, 'Failed', ['1.0', '1.0', '1.0']],
    ['yes', 0, 'Ready', ['2.0', '2.0', '2.0']],
  ])('whose command answers %s is judged by it', async (_answer, exitCode, phase, run) => {
    const analysis = { exec: { command: ['is-good'] } };
    const cluster = await ready({ ...canary, canary: { analysis: { ...analysis, failureThreshold: 2 } } });
    const asked = new Set<string>();
    const exec = ([command = '']: readonly string[], { pod }: { readonly pod: string }) => {
      asked.add(`${command} ${pod}`);
      return { exitCode };
    };
    cluster.image('my-repo/kvstore:2.0', { exec });
    await change(cluster, { version: '2.0' });
    await cluster.run({ until: () => storeNow(cluster)?.status?.phase === phase && images(cluster).join() === run.join(), maxVirtualMs: 7_200_000 }); // prettier-ignore
    expect([storeNow(cluster)?.status?.phase, images(cluster)]).toEqual([phase, run]);
    const judged = exitCode === 0 ? [2, 1, 0] : [2];
    expect([...asked]).toEqual(judged.map((ordinal) => `is-good orders-${ordinal}`));
    cluster.stop();
  });

  test('bakes, passes its analysis by Job, waits for a promotion, and goes on', async () => {
    const cluster = await ready({
      ...canary,
      canary: { bake: '10m', promotion: 'Manual', analysis: { job: { command: ['check'] } } },
    });
    await change(cluster, { version: '2.0' });
    await cluster.run({
      until: () => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion',
      maxVirtualMs: 7_200_000,
    });
    expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
    await cluster.advance(3_600_000);
    expect(images(cluster)).toEqual(['1.0', '1.0', '2.0']);
    await annotate(cluster, { 'ordinal.dev/promote': '2.0' });
    expect(await untilPhase(cluster, 'Ready')).toBe('Ready');
    expect(images(cluster)).toEqual(['2.0', '2.0', '2.0']);
    cluster.stop();
  });

  test('that flaps meets its deadline', async () => {
    const cluster = await ready({ ...canary, canary: { bake: '1m' }, upgrade: { progressDeadline: '5m' } });
    cluster.image('my-repo/kvstore:2.0', {
      ready: (process) => Math.floor(process.clock.now() / 20_000) % 2 === 0,
    });
    await change(cluster, { version: '2.0' });
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    expect(storeNow(cluster)?.status?.failure).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
    cluster.stop();
  });

  test('can be aborted', async () => {
    const cluster = await ready({ ...canary, canary: { promotion: 'Manual' } });
    await change(cluster, { version: '2.0' });
    await cluster.run({
      until: () => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion',
      maxVirtualMs: 7_200_000,
    });
    await annotate(cluster, { 'ordinal.dev/abort': '2.0' });
    expect(await untilPhase(cluster, 'Failed')).toBe('Failed');
    await cluster.settle();
    expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
    cluster.stop();
  });
});
