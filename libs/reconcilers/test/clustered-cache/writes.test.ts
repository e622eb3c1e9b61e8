import { clusteredCaches } from '@ordinal/api';
import { expect, test } from 'vitest';
import { Ledger } from '../writes/ledger.ts';
import type { Step } from '../writes/ledger.ts';
import { cache, cacheNow, caches, cacheWorld, change, isSettled, members, reaches, said } from './cache-world.ts';

const life: readonly Step[] = [
  {
    step: 'creation',
    act: (cluster) => caches(cluster).create(cache()),
    isOver: isSettled,
    // The finalizer; each child once.
    writes: {
      'apply poddisruptionbudgets': 1,
      'apply services': 2,
      'apply statefulsets': 1,
      'patch clusteredcaches': 1,
    },
    // It begins; the set is taken up; members exist; one is ready; two are; all are.
    statuses: 6,
  },
  { step: 'nothing', act: (cluster) => cluster.advance(3_600_000), isOver: isSettled, writes: {}, statuses: 0 },
  {
    step: 'growth by one',
    act: (cluster) => change(cluster, { replicas: 4 }),
    isOver: (cluster) => isSettled(cluster) && members(cluster).length === 4,
    writes: { 'apply statefulsets': 1 },
    // It begins; the set is taken up; the member exists; it is ready.
    statuses: 4,
  },
  {
    step: 'shrinkage by one',
    act: (cluster) => change(cluster, { replicas: 3 }),
    isOver: (cluster) => isSettled(cluster) && members(cluster).length === 3,
    writes: { 'apply statefulsets': 1 },
    // Who leaves is said before it does; the set is taken up; the member ends; all is done.
    statuses: 4,
  },
  {
    step: 'upgrade of three',
    act: (cluster) => change(cluster, { image: 'cache:2' }),
    isOver: (cluster) => isSettled(cluster) && cacheNow(cluster)?.status?.currentVersion === 'cache:2',
    // The template once; each member is held, deleted by UID, and let go.
    writes: { 'apply statefulsets': 1, 'delete pods': 3, 'patch pods': 6 },
    // It begins; for each member: held, taken down (said before it is done), ends, is missing, is not ready; all is done.
    statuses: 2 + 5 * 3,
  },
  {
    step: 'rollback of a first member that never gets ready',
    act: (cluster) => change(cluster, { image: 'cache:broken', upgrade: { onFailure: 'Rollback' } }),
    isOver: (cluster) => said(cluster, 'Available') === 'True RolledBack',
    // The template, and the one before. One member is held, deleted and let go; when it is broken it is deleted without a hold: it serves nobody.
    writes: { 'apply statefulsets': 2, 'delete pods': 2, 'patch pods': 2 },
    // Forward as in an upgrade until the member is not ready (6); failed; back again: begins, replaced, ends, is missing, is not ready; done.
    statuses: 13,
  },
  {
    step: 'failure that stops',
    act: (cluster) => change(cluster, { image: 'cache:missing', upgrade: { onFailure: 'Stop' } }),
    isOver: (cluster) => said(cluster, 'Available') === 'False UpgradeFailed',
    writes: { 'apply statefulsets': 1, 'delete pods': 1, 'patch pods': 2 },
    // The spec has changed back and forth (2); forward as in an upgrade; failed.
    statuses: 8,
  },
  {
    step: 'deletion',
    act: (cluster) => caches(cluster).delete('sessions'),
    isOver: (cluster) => cacheNow(cluster) === undefined && members(cluster).length === 0,
    // The finalizer goes; nobody was held. The garbage collector does the rest.
    writes: { 'patch clusteredcaches': 1 },
    statuses: 0,
  },
];

test('each step of a life costs the least that it takes, and no write is in vain', async () => {
  const { cluster, operator } = await cacheWorld();
  const ledger = new Ledger(cluster, operator.user.name, clusteredCaches);
  for (const { step, act, isOver, writes, statuses } of life) {
    await act(cluster);
    await cluster.advance(1000); // Until it is seen.
    expect(await reaches(cluster, () => isOver(cluster)), step).toBe(true);
    await cluster.settle();
    const taken = ledger.take();
    expect({ step, writes: taken.writes }).toEqual({ step, writes });
    expect(taken.statuses, step).toBeLessThanOrEqual(statuses);
  }
  expect(ledger.inVain).toEqual([]);
  cluster.stop();
}, 60_000);
