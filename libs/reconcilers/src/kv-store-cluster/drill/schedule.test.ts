import type { KVStoreCluster } from '@ordinal/api';
import { expect, test } from 'vitest';
import { scheduledDrill } from './schedule.ts';

const at = (text: string): number => Date.parse(`2026-05-${text}:00Z`);
const daily = { cron: '0 2 * * *' };

const cluster = (schedule: object | undefined, drillSchedule?: object): KVStoreCluster =>
  ({ spec: { backup: { drill: { schedule } } }, status: { drillSchedule } }) as unknown as KVStoreCluster; // All that is read of it.

const since = '2026-05-01T00:00:00Z';

test('times count from when the schedule is set, changed, or not suspended any more', () => {
  const now = at('01T03:00');
  const fresh = { state: { ...daily, since: '2026-05-01T03:00:00Z' } };
  for (const before of [undefined, { cron: '0 1 * * *', since }, { ...daily, since, suspended: true }])
    expect(scheduledDrill(cluster(daily, before), true, now)).toMatchObject(fresh);
  expect(scheduledDrill(cluster(daily, undefined), true, now)).not.toHaveProperty('name');
  expect(scheduledDrill(cluster({ ...daily, suspend: true }, { ...daily, since }), true, now)).toEqual({
    state: { ...fresh.state, suspended: true },
  });
  expect(scheduledDrill(cluster(undefined, { ...daily, since }), true, now)).toEqual({});
});

test('each time begins one drill, and one that can not begin yet is made up for', () => {
  const before = { ...daily, since };
  const due = scheduledDrill(cluster(daily, before), true, at('01T02:00'));
  const state = { ...before, settledAt: '2026-05-01T02:00:00Z' };
  expect(due).toMatchObject({ name: 'scheduled-20260501T0200Z', state });
  expect(scheduledDrill(cluster(daily, state), true, at('01T02:01'))).not.toHaveProperty('name');
  const waiting = scheduledDrill(cluster(daily, before), false, at('01T02:00'));
  expect([waiting.name, waiting.state]).toEqual([undefined, before]);
  expect(scheduledDrill(cluster(daily, before), true, at('01T09:00')).name).toBe('scheduled-20260501T0200Z');
  expect(scheduledDrill(cluster(daily, before), true, at('01T20:00'))).toMatchObject({ state });
  expect(scheduledDrill(cluster(daily, before), true, at('01T20:00'))).not.toHaveProperty('name');
});

test('a clock that was days ahead has the times count from now on', () => {
  const ahead = { ...daily, since, settledAt: '2026-05-09T02:00:00Z' };
  expect(scheduledDrill(cluster(daily, ahead), true, at('01T03:00')).state).toEqual({
    ...daily,
    since: '2026-05-01T03:00:00Z',
  });
});
