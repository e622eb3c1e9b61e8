import { persistentVolumeClaims, services, statefulSets } from '@ordinal/client';
import { enumerateFaults, generalInvariants, replay, runHistory } from '@ordinal/explorer';
import type { Fault } from '@ordinal/explorer';
import { expect, test } from 'vitest';
import { baked } from './baked-scenario.ts';
import { drills } from './drill-scenario.ts';
import { guardedCanary } from './guarded-scenario.ts';
import { hooked } from './hook-scenarios.ts';
import { inherited } from './inherited-scenario.ts';
import { images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { mended, unreadable } from './mended-scenarios.ts';
import { sameVersion } from './promotion.ts';
import { allRun, resource } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';
import {
  backUpAndDelete,
  badCanary,
  foreground,
  orphaned,
  replacedCanary,
  reverted,
  scaleAndKeep,
  shrinkAndGrow,
} from './scenarios.ts';
import { stop } from './stop-scenario.ts';
import { change, condition, ready, until } from '../../../libs/reconcilers/test/kv-store-cluster/store-steps.ts';

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

// Found by the search: a pod that is deleted is made again under its name before it is known what became of the deletion.
test('a member whose deletion got no reply is not waited for when it is there again', async () => {
  const { violations } = await replay({
    ...reverted,
    seed: 1,
    faults: [{ fault: 'ambiguous', at: { when: 'after', write: 25 } }],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: revisions whose StatefulSet was deleted without them belong to the next one of its name, as at a real controller; there is the way back.
test('an older operator finds the way back after a bad canary although the StatefulSet was made anew', async () => {
  const { violations } = await replay({
    ...badCanary,
    seed: 1_579_779_332,
    faults: [
      { fault: 'oldVersion', at: { when: 'after', write: 17 }, forMs: 120_000 },
      { fault: 'user', at: { when: 'after', write: 10 }, action: 'delete the StatefulSet, and leave its pods' },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: what a StatefulSet makes now is not what the one of ten seconds ago would have made, and was deleted a thousand times.
test('a member is not deleted again and again where the StatefulSet is seen as it was', async () => {
  const back = { fault: 'timeTravel', kind: 'statefulsets', backMs: 10_000, forMs: 20_000 } as const;
  const { violations } = await replay({
    ...reverted,
    seed: 1_944_358_255,
    faults: [
      { ...back, at: { when: 'after', write: 14 } },
      { ...back, at: { when: 'after', write: 4 } },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: a spec of ten seconds ago, whose status said nothing else than the present one would have, put the image of then back.
test('an upgrade goes on where the operator is shown the spec from before it', async () => {
  const { violations } = await replay({
    ...replacedCanary,
    seed: 7,
    faults: [
      {
        fault: 'timeTravel',
        at: { when: 'after', write: 22 },
        kind: 'kvstoreclusters',
        backMs: 10_000,
        forMs: 20_000,
      },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: the garbage collector no longer takes down what the StatefulSet has left behind, and the final backup waited for it for ever.
test('a final backup does not wait for members that were left to themselves in a foreground cascade', async () => {
  const { violations } = await replay({
    ...foreground,
    seed: 1,
    faults: [{ fault: 'user', at: { when: 'after', write: 11 }, action: 'delete the StatefulSet, and leave its pods' }],
  });
  expect(violations).toEqual([]);
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

const beforePods = { fault: 'timeTravel', kind: 'pods', backMs: 10_000, forMs: 20_000 } as const;

// Found by the search: shown the pods from before the member was there, the operator took its volume for one that no member uses.
test('a volume of a member that is taken away stays until the member has gone', async () => {
  const { violations } = await replay({
    ...shrinkAndGrow,
    seed: 1_503_033_697,
    faults: [
      { fault: 'permission', at: { when: 'before', write: 2 }, kind: 'poddisruptionbudgets', forMs: 120_000 },
      { ...beforePods, at: { when: 'after', write: 22 } },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: shown it as it was before it was ready, the operator took a member for a broken one.
test('a member that serves by now is not deleted because it did not a while ago', async () => {
  const { violations } = await replay({
    ...scaleAndKeep,
    seed: 911_375_929,
    faults: [
      { fault: 'oldVersion', at: { when: 'after', write: 18 }, forMs: 120_000 },
      { ...beforePods, at: { when: 'after', write: 12 } },
    ],
  });
  expect(violations).toEqual([]);
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
  const { violations } = await replay({
    ...backUpAndDelete,
    seed: 1_612_916_776,
    faults: [
      { fault: 'ambiguous', at: { when: 'before', write: 17 } },
      { fault: 'unobserved', at: { when: 'after', write: 1 }, kind: 'persistentvolumeclaims', forMs: 20_000 },
    ],
  });
  expect(violations).toEqual([]);
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

// Found by the search: the deadline of an upgrade that baked when its StatefulSet was lost had passed. It was looked at again at once, and again: no time passed any more.
test('an upgrade whose StatefulSet is lost while it bakes is not looked at without a pause', async () => {
  const { violations } = await replay({
    ...baked,
    seed: 1_234_182_101,
    faults: [
      { fault: 'unobserved', at: { when: 'after', write: 14 }, kind: 'statefulsets', forMs: 20_000 },
      { fault: 'clock', at: { when: 'after', write: 18 }, byMs: 3_600_000 },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: its history was not seen to be left behind yet, and what had just failed was applied once more.
test('a StatefulSet that is lost when an upgrade has just failed is made as it was before', async () => {
  const { violations } = await replay({
    ...mended,
    seed: 2_084_574_018,
    faults: [
      { fault: 'user', at: { when: 'after', write: 25 }, action: 'delete the StatefulSet, and leave its pods' },
      { fault: 'unobserved', at: { when: 'after', write: 17 }, kind: 'persistentvolumeclaims', forMs: 20_000 },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: the StatefulSet was made again without the member that was away, and its claim deleted, although the Job that comes before that had failed.
test('a member that is away when its StatefulSet is lost keeps its claim until the Job before the reduction has succeeded', async () => {
  const { violations } = await replay({
    ...hooked,
    seed: 1_726_595_272,
    faults: [
      { fault: 'timeTravel', at: { when: 'after', write: 7 }, kind: 'pods', backMs: 10_000, forMs: 20_000 },
      { fault: 'user', at: { when: 'after', write: 34 }, action: 'delete the StatefulSet, and leave its pods' },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: its claim went all the same.
test('a member that a user brings back when its claim would be deleted keeps it', async () => {
  const { violations } = await replay({
    ...hooked,
    seed: 1,
    faults: [{ fault: 'user', at: { when: 'after', write: 48 }, action: 'scale the StatefulSet to five' }],
  });
  expect(violations).toEqual([]);
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
  const { violations } = await replay({
    ...inherited,
    seed: 1_236_050_203,
    faults: [
      { fault: 'clock', at: { when: 'after', write: 17 }, byMs: 3_600_000 },
      { fault: 'permission', at: { when: 'before', write: 13 }, kind: 'persistentvolumeclaims', forMs: 120_000 },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: two versions make two templates of one spec, each puts back what the other has done, and one deleted a pod right after the other had raised the partition.
test('two leaders of two versions end, and what the newer one wants runs', async () => {
  const { scenario, oracles } = mended;
  const faults = [
    { fault: 'oldVersion', at: { when: 'after', write: 28 }, forMs: 120_000 },
    { fault: 'twoLeaders', at: { when: 'after', write: 35 }, pauseMs: 5000, deposedMs: 5000 },
  ] as const;
  const all = { scenario, oracles: [...generalInvariants, ...oracles] };
  const { violations, cluster } = await runHistory({ ...all, seed: 103_694_654, faults });
  expect({ violations, phase: storeNow(cluster)?.status?.phase }).toEqual({ violations: [], phase: 'Ready' });
}, 100_000);

// Found by the search: the scenario kept the node of a backup away although the restore had taken back that the backup has ended.
test.each([1, 2])(
  'a backup whose end is lost with a restore of etcd is made (seed %i)',
  async (seed) => {
    const at = { when: 'after', write: 16 } as const;
    const restore = { fault: 'restore', at, backMs: 60_000, repeatAfterMs: 20_000 } as const;
    const { violations } = await replay({ ...unreadable, seed, faults: [restore] });
    expect(violations).toEqual([]);
  },
  100_000,
);

// Found by the search: its deletion met a StatefulSet that had just been written, was not tried again, and the next member went back before this one had all data.
test('a replacement that goes back before it has caught up is still the first to go when its deletion is refused', async () => {
  const { violations } = await replay({
    ...guardedCanary,
    seed: 1_159_938_749,
    faults: [
      { fault: 'unobserved', at: { when: 'after', write: 2 }, kind: 'services', forMs: 20_000 },
      { fault: 'oldVersion', at: { when: 'after', write: 30 }, forMs: 120_000 },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: the StatefulSet was made as it was before with room for a canary that was ending, and that came back as the older version.
test('a canary that ends when its StatefulSet is lost does not come back as what ran before', async () => {
  const { violations } = await replay({
    ...reverted,
    seed: 2701,
    faults: [{ fault: 'user', at: { when: 'after', write: 21 }, action: 'delete the StatefulSet, and leave its pods' }],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: the StatefulSet was made again without room for a canary whose claim was not seen, and its controller took the canary down.
test('a canary that serves when its StatefulSet is lost stays, also where its claim is not seen', async () => {
  const all = { scenario: baked.scenario, oracles: [...generalInvariants, ...baked.oracles], seed: 230_453_706 };
  const { lives } = await runHistory({ ...all, faults: [] });
  const stale = { fault: 'stale', kind: 'persistentvolumeclaims', forMs: 20_000 } as const;
  const faults = [{ ...stale, at: { when: 'after', write: 11 } as const }];
  const { violations } = await runHistory({ ...all, faults, reference: lives });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search, a mistake of its own: until a controller has looked at a StatefulSet that was made again, no template but the one that held members run can be in it.
test('a canary that is killed right after its StatefulSet was made again comes back as what ran before, and then as what is wanted', async () => {
  const faults = [{ fault: 'pod', at: { when: 'after', write: 25 }, how: 'kill' }] as const;
  const { violations } = await replay({ ...baked, seed: 2701, faults });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search, a mistake of its own: a StatefulSet that was made again was taken for one that was put back.
test('an upgrade that has failed and stands goes on standing when its StatefulSet is lost', async () => {
  const faults = [
    { fault: 'user', at: { when: 'after', write: 19 }, action: 'delete the StatefulSet, and leave its pods' },
  ] as const;
  const { violations } = await replay({ ...stop, seed: 846_708_010, faults });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search, a mistake of its own: the restore is into the scratch cluster, which has volumes of its own.
test('a member that is deleted comes back while a restore drill restores', async () => {
  const { violations } = await replay({
    ...drills,
    seed: 1_932_461_976,
    faults: [
      { fault: 'pod', at: { when: 'after', write: 26 }, how: 'delete' },
      { fault: 'crash', at: { when: 'before', write: 5 } },
    ],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: what members had run before that counted as a third template, for which none can be held, and all followed the canary.
test('no member follows a canary that awaits its promotion where members are seen as they were two templates ago', async () => {
  const { violations } = await replay({
    ...sameVersion,
    seed: 183_103_767,
    faults: [{ ...beforePods, at: { when: 'after', write: 34 } }],
  });
  expect(violations).toEqual([]);
}, 100_000);

// Found by a reader: hours later the upgrade was still said to be under way.
test('an upgrade meets its deadline although a user takes a child away from the cluster in the middle', async () => {
  const cluster = await ready({ upgradeStrategy: 'Canary' });
  await change(cluster, { version: 'broken' });
  await until(cluster, () => images(cluster).includes('broken'));
  const startedAt = Date.parse(storeNow(cluster)?.status?.upgrade?.lastProgressAt ?? '');
  const home = cluster.client()(services).namespace('default');
  const labels = { 'app.kubernetes.io/instance': 'theirs' };
  await home.patch('orders', { type: 'merge', body: { metadata: { ownerReferences: null, labels } } });
  await until(cluster, () => storeNow(cluster)?.status?.failure !== undefined);
  expect(cluster.clock.now() - startedAt).toBeLessThan(905_000);
  expect(storeNow(cluster)?.status?.failure?.reason).toBe('ProgressDeadlineExceeded');
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'NameTaken' });
  expect(images(cluster)).toContain('broken');
  await home.delete('orders');
  await until(cluster, () => images(cluster).join() === '1.0,1.0,1.0');
  expect(images(cluster)).toEqual(['1.0', '1.0', '1.0']);
  expect(condition(cluster, 'Degraded')).toMatchObject({ status: 'True', reason: 'ProgressDeadlineExceeded' });
  cluster.stop();
});
