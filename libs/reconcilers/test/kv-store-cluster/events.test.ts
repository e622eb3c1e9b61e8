import type { EventRecord } from '@ordinal/runtime';
import { describe, expect, test } from 'vitest';
import { failing, kvStoreWorld, store, storeNow, untilPhase } from './kv-store-world.ts';
import { annotate, change, stores, until } from './store-steps.ts';

async function started(spec: Parameters<typeof store>[0]) {
  const world = await kvStoreWorld();
  await stores(world.cluster).create(store(spec));
  expect(await untilPhase(world.cluster, 'Ready')).toBe('Ready');
  return world;
}

const reasons = (events: readonly EventRecord[]): readonly string[] =>
  events.map(({ type, reason }) => `${type} ${reason}`);

/** Without those that say that something lasts: they are decided at each look, and published rarely. */
const firsts = (events: readonly EventRecord[]): readonly EventRecord[] =>
  events.filter(({ atMostEveryMs }) => atMostEveryMs === undefined);

describe('an upgrade', () => {
  const upgradeStrategy = 'Canary';

  test('is an event at its beginning, for each member that passes its analysis, and at its end', async () => {
    const analysis = { http: { path: '/good' } };
    const { cluster, events } = await started({ upgradeStrategy, port: 6379, canary: { analysis } });
    await change(cluster, { version: '2.0' });
    await until(cluster, () => storeNow(cluster)?.status?.currentVersion === '2.0');
    await cluster.advance(600_000);
    expect(reasons(events)).toEqual([
      'Normal UpgradeStarted',
      'Normal CanaryPassed',
      'Normal CanaryPassed',
      'Normal CanaryPassed',
      'Normal UpgradeCompleted',
    ]);
    expect(events.slice(1, 4).map(({ note }) => note)).toEqual(
      [2, 1, 0].map((ordinal) => `orders-${String(ordinal)} passed its analysis`),
    );
    cluster.stop();
  });

  test('that fails is an event, and no other one comes after it', async () => {
    const { cluster, events } = await started({ upgradeStrategy, canary: { promotion: 'Manual' } });
    await change(cluster, { version: '2.0' });
    await until(cluster, () => storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion');
    await annotate(cluster, { 'ordinal.dev/abort': '2.0' });
    await until(cluster, () => storeNow(cluster)?.status?.phase === 'Failed');
    await cluster.advance(3_600_000);
    expect(reasons(events)).toEqual(['Normal UpgradeStarted', 'Warning UpgradeFailed']);
    expect(events.at(-1)?.note).toContain('no user has promoted it');
    cluster.stop();
  });
});

describe('a deletion', () => {
  const spec = {
    delete: { before: { command: ['release'], retries: 0 } },
    backup: { job: { command: ['backup'], retries: 0 } },
  };

  test('has an event for the Job before it and for the final backup', async () => {
    const { cluster, events } = await started(spec);
    await stores(cluster).delete('orders');
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(reasons(events)).toEqual(['Normal BeforeDeleteSucceeded', 'Normal FinalBackupSucceeded']);
    cluster.stop();
  });

  test('has one for each failure of the Job before it', async () => {
    const { cluster, events } = await started(spec);
    failing.set(cluster, 'release');
    await stores(cluster).delete('orders');
    const record = () => storeNow(cluster)?.status?.hooks?.find(({ purpose }) => purpose === 'BeforeDelete');
    await until(cluster, () => record()?.attempts === 1);
    await cluster.advance(5_000);
    expect(reasons(firsts(events))).toEqual(['Warning BeforeDeleteFailed', 'Warning JobFailed']);
    failing.delete(cluster);
    await until(cluster, () => storeNow(cluster) === undefined);
    expect(reasons(firsts(events))).toEqual([
      'Warning BeforeDeleteFailed',
      'Warning JobFailed',
      'Normal BeforeDeleteSucceeded',
      'Normal FinalBackupSucceeded',
    ]);
    cluster.stop();
  });
});
