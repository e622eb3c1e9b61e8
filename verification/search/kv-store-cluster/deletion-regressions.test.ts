import { persistentVolumeClaims, statefulSets } from '@ordinal/client';
import { enumerateFaults, generalInvariants, replay, runHistory } from '@ordinal/explorer';
import type { Fault } from '@ordinal/explorer';
import { expect, test } from 'vitest';
import { expectNoViolation } from '../engine/pinned.ts';
import { hooked } from './hook-scenarios.ts';
import { inherited } from './inherited-scenario.ts';
import { images } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { unreadable } from './mended-scenarios.ts';
import { allRun, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';
import { backUpAndDelete, foreground, orphaned, shrinkAndGrow } from './scenarios.ts';

const beforePods = { fault: 'timeTravel', kind: 'pods', backMs: 10_000, forMs: 20_000 } as const;

// Found by the search: what is not seen for a while is not gone.
test.each(['unobserved', 'stale', 'timeTravel'] as const)(
  'a deletion whose view of the claims is behind leaves none behind (%s)',
  async (name) => {
    const all = { ...backUpAndDelete, oracles: [...generalInvariants, ...backUpAndDelete.oracles], seed: 1 };
    const { ground } = await runHistory({ ...all, faults: [] });
    const about = (fault: Fault): boolean =>
      'kind' in fault && fault.kind === persistentVolumeClaims.plural && 'write' in fault.at;
    for (const fault of enumerateFaults(name, ground).filter(about)) {
      const { violations } = await replay({ ...all, faults: [fault] });
      expect({ fault, violations }).toEqual({ fault, violations: [] });
    }
  },
  200_000,
);

// Found by the search: the garbage collector no longer takes down what the StatefulSet has left behind, and the final backup waited for it for ever.
test('a final backup does not wait for members that were left to themselves in a foreground cascade', async () => {
  await expectNoViolation(foreground, {
    seed: 1,
    faults: [{ fault: 'user', at: { when: 'after', write: 11 }, action: 'delete the StatefulSet, and leave its pods' }],
  });
}, 100_000);

test('nor in a deletion that is no cascade, where the StatefulSet went before the backup began', async () => {
  const { scenario, oracles } = backUpAndDelete;
  const { violations } = await replay({
    oracles: [...generalInvariants, ...oracles],
    seed: 1,
    scenario: {
      ...scenario,
      drive: async (cluster, until) => {
        await until(() => allRun(cluster, '1.0'));
        const sets = cluster.client()(statefulSets).namespace('default');
        await Promise.all([sets.delete('orders', { propagationPolicy: 'Orphan' }), resource(cluster).delete('orders')]);
      },
    },
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: shown the pods from before the member was there, the operator took its volume for one that no member uses.
test('a volume of a member that is taken away stays until the member has gone', async () => {
  await expectNoViolation(shrinkAndGrow, {
    seed: 1_503_033_697,
    faults: [
      { fault: 'permission', at: { when: 'before', write: 2 }, kind: 'poddisruptionbudgets', forMs: 120_000 },
      { ...beforePods, at: { when: 'after', write: 22 } },
    ],
  });
}, 100_000);

// Found by the search: seen without the mark of the cascade while the StatefulSet was still seen, it was asked of members that went, and failed.
test('a final backup is made of the volumes as soon as members are being taken down', async () => {
  const all = { scenario: foreground.scenario, oracles: [...generalInvariants, ...foreground.oracles] };
  const { lives } = await runHistory({ ...all, seed: 1, faults: [] });
  const refused = { fault: 'refuse', at: { when: 'before', write: 2 }, code: 403 } as const;
  const { violations } = await runHistory({ ...all, seed: 2_060_090_102, faults: [refused], reference: lives });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: claims of which nothing is ever seen were deleted, and the operator did not look whether they had gone.
test('claims that are never seen go, and the cluster after them', async () => {
  await expectNoViolation(backUpAndDelete, {
    seed: 1_612_916_776,
    faults: [
      { fault: 'ambiguous', at: { when: 'before', write: 17 } },
      { fault: 'unobserved', at: { when: 'after', write: 1 }, kind: 'persistentvolumeclaims', forMs: 20_000 },
    ],
  });
}, 100_000);

// Found by the search: seen as it was before the garbage collector had released it, the StatefulSet was deleted with its members, and their volumes after them.
test.each(['statefulsets', 'kvstoreclusters', 'pods'] as const)(
  'a deletion that leaves the members leaves them where %s are seen as they were',
  async (kind) => {
    const { violations } = await replay({
      ...orphaned,
      seed: 195_792_216,
      faults: [{ fault: 'stale', at: { when: 'after', write: 8 }, kind, forMs: 20_000 }],
    });
    expect(violations).toEqual([]);
  },
  100_000,
);

// Found by the search: the StatefulSet was made again without the member that was away, and its claim deleted, although the Job that comes before that had failed.
test('a member that is away when its StatefulSet is lost keeps its claim until the Job before the reduction has succeeded', async () => {
  await expectNoViolation(hooked, {
    seed: 1_726_595_272,
    faults: [
      { fault: 'timeTravel', at: { when: 'after', write: 7 }, kind: 'pods', backMs: 10_000, forMs: 20_000 },
      { fault: 'user', at: { when: 'after', write: 34 }, action: 'delete the StatefulSet, and leave its pods' },
    ],
  });
}, 100_000);

// Found by the search: its claim went all the same.
test('a member that a user brings back when its claim would be deleted keeps it', async () => {
  await expectNoViolation(hooked, {
    seed: 1,
    faults: [{ fault: 'user', at: { when: 'after', write: 48 }, action: 'scale the StatefulSet to five' }],
  });
}, 100_000);

// Found by the search: it makes the StatefulSet whose request it was suspended in. The garbage collector takes it back, and the claim that it has made meanwhile holds nothing of what the cluster had.
test.each([5000, 20_000])(
  'a leader that is suspended for %i ms right before its first write brings nothing back of a deleted cluster',
  async (pauseMs) => {
    const { scenario, oracles } = inherited;
    const faults = [{ fault: 'twoLeaders', at: { when: 'before', write: 5 }, pauseMs, deposedMs: 5000 }] as const;
    const all = { scenario, oracles: [...generalInvariants, ...oracles] };
    const { violations, cluster } = await runHistory({ ...all, seed: 1_990_634_515, faults });
    expect({ violations, members: images(cluster) }).toEqual({ violations: [], members: [] });
  },
  100_000,
);

// Found by the search, a mistake of its own: to an operator whose clock is set the trouble had begun an hour ago, and half an hour later it looked again.
test('a deletion goes on after a permission came back, also where the clock was set meanwhile', async () => {
  await expectNoViolation(inherited, {
    seed: 1_236_050_203,
    faults: [
      { fault: 'clock', at: { when: 'after', write: 17 }, byMs: 3_600_000 },
      { fault: 'permission', at: { when: 'before', write: 13 }, kind: 'persistentvolumeclaims', forMs: 120_000 },
    ],
  });
}, 100_000);

// Found by the search: the scenario kept the node of a backup away although the restore had taken back that the backup has ended.
test.each([1, 2])(
  'a backup whose end is lost with a restore of etcd is made (seed %i)',
  async (seed) => {
    const at = { when: 'after', write: 16 } as const;
    const restore = { fault: 'restore', at, backMs: 60_000, repeatAfterMs: 20_000 } as const;
    await expectNoViolation(unreadable, { seed, faults: [restore] });
  },
  100_000,
);
