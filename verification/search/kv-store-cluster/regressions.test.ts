import { services } from '@ordinal/client';
import { generalInvariants, runHistory } from '@ordinal/explorer';
import { expect, test } from 'vitest';
import { expectNoViolation } from '../engine/pinned.ts';
import { baked } from './baked-scenario.ts';
import { drills } from './drill-scenario.ts';
import { guardedCanary, guardedRollback, guardedUpgrade } from './guarded-scenario.ts';
import { images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { amidCanary, amidMigration } from './interrupted-scenarios.ts';
import { mended } from './mended-scenarios.ts';
import { overtakenCanary } from './overtaken-canary-scenario.ts';
import { sameVersion } from './promotion.ts';
import { retried } from './retried-scenario.ts';
import { badCanary, replacedCanary, reverted, scaleAndKeep, scaledAndAborted } from './scenarios.ts';
import { stop } from './stop-scenario.ts';
import { change, condition, ready, until } from '../../../libs/reconcilers/test/kv-store-cluster/store-steps.ts';

const beforePods = { fault: 'timeTravel', kind: 'pods', backMs: 10_000, forMs: 20_000 } as const;

// Found by the search: a pod that is deleted is made again under its name before it is known what became of the deletion.
test('a member whose deletion got no reply is not waited for when it is there again', async () => {
  await expectNoViolation(reverted, {
    seed: 1,
    faults: [{ fault: 'ambiguous', at: { when: 'after', write: 25 } }],
  });
}, 100_000);

// Found by the search: revisions whose StatefulSet was deleted without them belong to the next one of its name, as at a real controller; there is the way back.
test('an older operator finds the way back after a bad canary although the StatefulSet was made anew', async () => {
  await expectNoViolation(badCanary, {
    seed: 1_579_779_332,
    faults: [
      { fault: 'oldVersion', at: { when: 'after', write: 17 }, forMs: 120_000 },
      { fault: 'user', at: { when: 'after', write: 10 }, action: 'delete the StatefulSet, and leave its pods' },
    ],
  });
}, 100_000);

// Found by the search: what a StatefulSet makes now is not what the one of ten seconds ago would have made, and was deleted a thousand times.
test('a member is not deleted again and again where the StatefulSet is seen as it was', async () => {
  const back = { fault: 'timeTravel', kind: 'statefulsets', backMs: 10_000, forMs: 20_000 } as const;
  await expectNoViolation(reverted, {
    seed: 1_944_358_255,
    faults: [
      { ...back, at: { when: 'after', write: 14 } },
      { ...back, at: { when: 'after', write: 4 } },
    ],
  });
}, 100_000);

// Found by the search: a spec of ten seconds ago, whose status said nothing else than the present one would have, put the image of then back.
test('an upgrade goes on where the operator is shown the spec from before it', async () => {
  await expectNoViolation(replacedCanary, {
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
}, 100_000);

// Found by the search: shown it as it was before it was ready, the operator took a member for a broken one.
test('a member that serves by now is not deleted because it did not a while ago', async () => {
  await expectNoViolation(scaleAndKeep, {
    seed: 911_375_929,
    faults: [
      { fault: 'oldVersion', at: { when: 'after', write: 18 }, forMs: 120_000 },
      { ...beforePods, at: { when: 'after', write: 12 } },
    ],
  });
}, 100_000);

// Found by the search: the deadline of an upgrade that baked when its StatefulSet was lost had passed. It was looked at again at once, and again: no time passed any more.
test('an upgrade whose StatefulSet is lost while it bakes is not looked at without a pause', async () => {
  await expectNoViolation(baked, {
    seed: 1_234_182_101,
    faults: [
      { fault: 'unobserved', at: { when: 'after', write: 14 }, kind: 'statefulsets', forMs: 20_000 },
      { fault: 'clock', at: { when: 'after', write: 18 }, byMs: 3_600_000 },
    ],
  });
}, 100_000);

// Found by the search: its history was not seen to be left behind yet, and what had just failed was applied once more.
test('a StatefulSet that is lost when an upgrade has just failed is made as it was before', async () => {
  await expectNoViolation(mended, {
    seed: 2_084_574_018,
    faults: [
      { fault: 'user', at: { when: 'after', write: 25 }, action: 'delete the StatefulSet, and leave its pods' },
      { fault: 'unobserved', at: { when: 'after', write: 17 }, kind: 'persistentvolumeclaims', forMs: 20_000 },
    ],
  });
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

// Found by the search: its deletion met a StatefulSet that had just been written, was not tried again, and the next member went back before this one had all data.
test('a replacement that goes back before it has caught up is still the first to go when its deletion is refused', async () => {
  await expectNoViolation(guardedCanary, {
    seed: 1_159_938_749,
    faults: [
      { fault: 'unobserved', at: { when: 'after', write: 2 }, kind: 'services', forMs: 20_000 },
      { fault: 'oldVersion', at: { when: 'after', write: 30 }, forMs: 120_000 },
    ],
  });
}, 100_000);

// Found by the search: the StatefulSet was made as it was before with room for a canary that was ending, and that came back as the older version.
test('a canary that ends when its StatefulSet is lost does not come back as what ran before', async () => {
  await expectNoViolation(reverted, {
    seed: 2701,
    faults: [{ fault: 'user', at: { when: 'after', write: 21 }, action: 'delete the StatefulSet, and leave its pods' }],
  });
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

// Found by the search: it came back as what ran before, since until a controller has looked at a StatefulSet that was made again, no other template can be in it.
test('a canary that is killed right after its StatefulSet was made again comes back as what it ran', async () => {
  const faults = [{ fault: 'pod', at: { when: 'after', write: 25 }, how: 'kill' }] as const;
  await expectNoViolation(baked, { seed: 2701, faults });
}, 100_000);

// Found by the search, a mistake of its own: a StatefulSet that was made again was taken for one that was put back.
test('an upgrade that has failed and stands goes on standing when its StatefulSet is lost', async () => {
  const faults = [
    { fault: 'user', at: { when: 'after', write: 19 }, action: 'delete the StatefulSet, and leave its pods' },
  ] as const;
  await expectNoViolation(stop, { seed: 846_708_010, faults });
}, 100_000);

// Found by the search, a mistake of its own: the restore is into the scratch cluster, which has volumes of its own.
test('a member that is deleted comes back while a restore drill restores', async () => {
  await expectNoViolation(drills, {
    seed: 1_932_461_976,
    faults: [
      { fault: 'pod', at: { when: 'after', write: 26 }, how: 'delete' },
      { fault: 'crash', at: { when: 'before', write: 5 } },
    ],
  });
}, 100_000);

// Found by the search: the cluster was deleted when the third scratch cluster had just been made. What that had by then was a matter of luck: nothing, while the operator was away, or a Job of its own.
test.each([
  { fault: 'timeTravel', backMs: 10_000, forMs: 20_000 },
  { fault: 'stale', forMs: 20_000 },
] as const)(
  'a cluster is deleted while the check of a restore drill does not end, also where clusters are not seen as they are ($fault)',
  async (fault) => {
    const at = { when: 'after', write: 88 } as const;
    await expectNoViolation(drills, { seed: 880_965_333, faults: [{ ...fault, at, kind: 'kvstoreclusters' }] });
  },
  100_000,
);

// Found by the search: what members had run before that counted as a third template, for which none can be held, and all followed the canary.
test('no member follows a canary that awaits its promotion where members are seen as they were two templates ago', async () => {
  await expectNoViolation(sameVersion, {
    seed: 183_103_767,
    faults: [{ ...beforePods, at: { when: 'after', write: 34 } }],
  });
}, 100_000);

// Found by the search: shown no pods after a restore, the operator did not know that the members had ever run. The next version went to all of them, and the scenario waited for a promotion.
test('a cluster that has not come up by its record follows the next version without a promotion', async () => {
  await expectNoViolation(sameVersion, {
    seed: 26_941_619,
    faults: [
      { fault: 'stale', at: { when: 'after', write: 25 }, kind: 'pods', forMs: 20_000 },
      { fault: 'restore', at: { when: 'after', write: 17 }, backMs: 60_000, repeatAfterMs: 20_000 },
    ],
  });
  await expectNoViolation(sameVersion, {
    seed: 561_404_772,
    faults: [
      { fault: 'restore', at: { when: 'after', write: 34 }, backMs: 60_000, repeatAfterMs: 20_000 },
      { fault: 'permission', at: { when: 'before', write: 50 }, kind: 'statefulsets', forMs: 120_000 },
    ],
  });
}, 100_000);

// Found by the search: the StatefulSet was made as it was before, with room for a canary that was deleted between the decision and the write. It came back as the older version.
test('a canary that is deleted while its StatefulSet is made anew comes back as what it ran', async () => {
  await expectNoViolation(baked, {
    seed: 1_749_328_452,
    faults: [
      { fault: 'permission', at: { when: 'before', write: 2 }, kind: 'statefulsets', forMs: 120_000 },
      { fault: 'pod', at: { when: 'after', write: 31 }, how: 'delete' },
    ],
  });
}, 100_000);

// Found by the search: the oracle took a member that had followed a promoted canary already for one that follows the next one. An older operator wants a third template, which that member can't wait for.
test('a member that has followed a promoted canary goes on to the template of an older operator', async () => {
  await expectNoViolation(sameVersion, {
    seed: 1_522_373_277,
    faults: [
      { fault: 'stale', at: { when: 'after', write: 45 }, kind: 'services', forMs: 20_000 },
      { fault: 'oldVersion', at: { when: 'after', write: 46 }, forMs: 120_000 },
    ],
  });
}, 100_000);

// Found by the search: a canary that could not be asked held up its upgrade until the deadline, and no condition said so.
test('a canary that gives no answer to its analysis shows within a minute', async () => {
  await expectNoViolation(badCanary, {
    seed: 917_730_100,
    faults: [
      { fault: 'outage', at: { when: 'before', external: 1 }, how: 'hang', forMs: 120_000 },
      { fault: 'user', at: { when: 'after', write: 16 }, action: 'scale the StatefulSet to five' },
    ],
  });
}, 100_000);

// Found by the search: shown the pods of ten seconds ago after a restore, the operator did not know that the members had ever run. There was nothing to go back to, and the scenario waited for a rollback.
test('a cluster that has not come up by its record stays with a version that does not work until another one is asked for', async () => {
  await expectNoViolation(guardedRollback, {
    seed: 731_597_476,
    faults: [
      { fault: 'restore', at: { when: 'after', write: 15 }, backMs: 60_000, repeatAfterMs: 20_000 },
      { ...beforePods, at: { when: 'after', write: 31 } },
    ],
  });
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

// Found by the search: a member that was released and had started is shown as it was before. It counted as one that was never released, and the partition rose above it.
test('a member that was released comes back as what it ran where its pod is seen as it was before', async () => {
  const { scenario, oracles } = overtakenCanary;
  const faults = [
    { fault: 'stale', at: { when: 'after', write: 15 }, kind: 'pods', forMs: 20_000 },
    { fault: 'timeTravel', at: { when: 'after', write: 1 }, kind: 'statefulsets', backMs: 10_000, forMs: 20_000 },
  ] as const;
  const all = { scenario, oracles: [...generalInvariants, ...oracles] };
  const { violations } = await runHistory({ ...all, seed: 124_503_305, faults });
  expect(violations).toEqual([]);
}, 100_000);

// Found by the search: with one that runs ahead gone and a higher one there, the StatefulSet had to be made again with room for both, and made the lower one as the first version.
test('a member that runs ahead starts as no older version where its StatefulSet goes without its pods', async () => {
  await expectNoViolation(overtakenCanary, {
    seed: 382_185_885,
    faults: [{ fault: 'user', at: { when: 'after', write: 30 }, action: 'delete the StatefulSet, and leave its pods' }],
  });
}, 100_000);

// Found by the search: members that had all gone ahead came to run what an older operator builds, and the newer one began with that before it was judged.
test('what all members of an upgrade by canaries have gone ahead to is where another upgrade begins', async () => {
  await expectNoViolation(baked, {
    seed: 827_402_781,
    faults: [{ fault: 'oldVersion', at: { when: 'after', write: 40 }, forMs: 120_000 }],
  });
}, 100_000);

// Found by the search: the version whose canary fails was the first that ever ran, where a restored etcd had lost the one before.
test('a version that fails as a canary stays where it is the first one after a restore of etcd', async () => {
  await expectNoViolation(badCanary, {
    seed: 243_523_896,
    faults: [
      { fault: 'node', at: { when: 'after', write: 10 }, how: 'partition', forMs: 420_000 },
      { fault: 'restore', at: { when: 'after', write: 24 }, backMs: 60_000, repeatAfterMs: 20_000 },
    ],
  });
}, 100_000);

// Found by the search: a StatefulSet that is made again begins with room for the members that had not gone ahead, which is no reduction.
test('a member that a reduction has not come to yet comes back with its StatefulSet', async () => {
  await expectNoViolation(amidCanary, {
    seed: 909_701_962,
    faults: [{ fault: 'user', at: { when: 'after', write: 23 }, action: 'delete the StatefulSet, with its pods' }],
  });
}, 100_000);

// Found by the search: members went back with a restore of etcd to a version that was asked for then, and counted as ahead ever after.
test('what a volume has seen is what its user asks for after a restore of etcd', async () => {
  await expectNoViolation(overtakenCanary, {
    seed: 1_136_527_645,
    faults: [{ fault: 'restore', at: { when: 'after', write: 37 }, backMs: 5_000, repeatAfterMs: 20_000 }],
  });
}, 100_000);

// Found by the search: its container began anew when it had caught up, it was ready again and lagged behind, and the next member went.
test('a replacement whose container crashes when it has caught up has to catch up once more', async () => {
  await expectNoViolation(guardedCanary, {
    seed: 1_793_515_160,
    faults: [
      { fault: 'ambiguous', at: { when: 'before', write: 30 } },
      { fault: 'pod', at: { when: 'after', write: 35 }, how: 'crash' },
    ],
  });
}, 100_000);

// Found by the search: its user waited for a canary that a restore of etcd had made the first version that ever ran.
test('a promotion that is not awaited after a restore of etcd holds up no user', async () => {
  await expectNoViolation(scaledAndAborted, {
    seed: 159_324_722,
    faults: [
      { fault: 'permission', at: { when: 'before', write: 21 }, kind: 'kvstoreclusters', forMs: 120_000 },
      { fault: 'restore', at: { when: 'after', write: 16 }, backMs: 60_000, repeatAfterMs: 20_000 },
    ],
  });
}, 100_000);

// Found by the search: two members were seen to run the template of two upgrades ago while a third one ended, and all were released beside the canary.
test('members that are seen as they were while another one ends do not follow a canary', async () => {
  await expectNoViolation(sameVersion, {
    seed: 31_337,
    faults: [{ fault: 'timeTravel', at: { when: 'after', write: 33 }, kind: 'pods', backMs: 10_000, forMs: 20_000 }],
  });
}, 100_000);

// Found by the search: members that a restore of etcd brought back had handed over once, and the only one that had not could hand over to none.
test('a leader that leaves for good hands over to a member that a restored etcd brought back', async () => {
  await expectNoViolation(guardedUpgrade, {
    seed: 857_049_171,
    faults: [
      { fault: 'restore', at: { when: 'after', write: 45 }, backMs: 60_000, repeatAfterMs: 20_000 },
      { fault: 'outage', at: { when: 'before', external: 63 }, how: 'down', forMs: 120_000 },
    ],
  });
}, 100_000);

// Found by the search: what a volume had seen counted on in the state from before, which no object shows after a restore of etcd.
test('a member that a restored etcd holds at its version starts as that', async () => {
  await expectNoViolation(retried, {
    seed: 1_939_050_214,
    faults: [
      { fault: 'node', at: { when: 'after', write: 18 }, how: 'partition', forMs: 420_000 },
      { fault: 'restore', at: { when: 'after', write: 61 }, backMs: 60_000, repeatAfterMs: 20_000 },
    ],
  });
}, 100_000);

// Found by the search: the scenario waited for a promotion although a restored etcd had lost that another version ran before, and all members had followed.
test('a canary has nothing to go back to where a restored etcd has lost that the cluster was complete', async () => {
  await expectNoViolation(replacedCanary, {
    seed: 355_922_383,
    faults: [
      { fault: 'restore', at: { when: 'after', write: 20 }, backMs: 60_000, repeatAfterMs: 20_000 },
      { fault: 'timeTravel', at: { when: 'after', write: 23 }, kind: 'statefulsets', backMs: 10_000, forMs: 20_000 },
    ],
  });
}, 100_000);

// Found by the search: one of two versions deleted the Job that the other had just made, which then ran again.
test('two leaders of two versions, each of which takes the template of the other for a change, end', async () => {
  await expectNoViolation(retried, {
    seed: 1_564_986_586,
    faults: [
      { fault: 'oldVersion', at: { when: 'before', write: 33 }, forMs: 120_000 },
      { fault: 'twoLeaders', at: { when: 'after', write: 36 }, pauseMs: 5_000, deposedMs: 5_000 },
    ],
  });
}, 100_000);

// Found by the search: a user had raised the partition, a member that was ahead came back as what the others run, and the judge forgot what its volume had seen.
test('a member whose volume has seen a newer version does not wait for a canary, also where a user had it go back', async () => {
  await expectNoViolation(overtakenCanary, {
    seed: 1_662_203_232,
    faults: [
      { fault: 'timeTravel', at: { when: 'after', write: 33 }, kind: 'kvstoreclusters', backMs: 10_000, forMs: 20_000 },
      { fault: 'user', at: { when: 'after', write: 30 }, action: 'set the partition of the StatefulSet to three' },
    ],
  });
}, 100_000);

// Found by the search: the scenario waited for a Job, although a restored etcd had lost that the cluster was complete and there was no upgrade.
test('a deletion does not wait for the Job of an upgrade that is none', async () => {
  await expectNoViolation(amidMigration, {
    seed: 659_804_139,
    faults: [
      { fault: 'restore', at: { when: 'after', write: 14 }, backMs: 5_000, repeatAfterMs: 20_000 },
      { fault: 'stale', at: { when: 'after', write: 18 }, kind: 'statefulsets', forMs: 20_000 },
    ],
  });
}, 100_000);

// Found by the search: the judge took a closed gate for one that is asked when the member goes that keeps it for its peers.
test('a member that a restored etcd has brought back goes again while its own gate is closed for its peers', async () => {
  await expectNoViolation(guardedUpgrade, {
    seed: 2_035_708_824,
    faults: [{ fault: 'restore', at: { when: 'after', write: 43 }, backMs: 60_000, repeatAfterMs: 20_000 }],
  });
}, 100_000);
