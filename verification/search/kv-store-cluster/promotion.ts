import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { promoteAnnotation } from '../../../libs/reconcilers/src/annotations.ts';
import { pass } from '../faults/pass.ts';
import type { Searched } from '../engine/searched.ts';
import { lastRevisionOf } from './canary-invariants.ts';
import { kvStoreInvariants } from './invariants.ts';
import { ailing, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { meddling, searched, setUp } from './scenario.ts';
import { allRun, annotate, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

/** The images that templates had when they were first applied, by their hash: a user may change a template's image by hand. */
const firstImages = new WeakMap<TestCluster, Map<string, string>>();

function versionOf(cluster: TestCluster, hash: string, template: StatefulSet['spec']['template']): string {
  const known = firstImages.get(cluster) ?? new Map<string, string>();
  firstImages.set(cluster, known);
  const image = known.get(hash) ?? template.spec?.containers[0]?.image ?? '';
  known.set(hash, image);
  return image.slice(image.indexOf(':') + 1);
}

/** Whether every member may run this template: it is the one that they ran before, or a user has named it, or the version that it is of. */
function isPromoted(
  cluster: TestCluster,
  { metadata, status }: KVStoreCluster,
  template: StatefulSet['spec']['template'],
): boolean {
  const { currentRevision, currentVersion } = status ?? {};
  const applied = template.metadata?.annotations?.[templateHashAnnotation] ?? '';
  const version = versionOf(cluster, applied, template);
  if (currentRevision === undefined || applied === currentRevision) return true;
  const promoted = metadata.annotations?.[promoteAnnotation];
  return promoted === applied || (promoted === version && version !== currentVersion);
}

/** Who follows the canary, the last of three, when the partition is this: members that ran what all ran before. One that has run another template goes on to a third one at once: held, it would start as an older version than its volume has seen (I30). */
const followers = (cluster: TestCluster, { metadata, status }: KVStoreCluster, partition: number): readonly string[] =>
  [0, 1]
    .filter((ordinal) => ordinal >= partition)
    .map((ordinal) => `${metadata.name}-${ordinal}`)
    .filter((pod) => (lastRevisionOf(cluster, pod) ?? status?.currentRevision) === status?.currentRevision);

/** Of histories of three members at least, the last of which is the canary: before a user promotes the very version or revision, no other one may follow it. */
const promotionIsAwaited: Invariant = {
  name: 'no member follows a canary that was not promoted (I2)',
  afterChange: (cluster, { kind, type, object }) => {
    if (kind !== 'statefulsets.apps' || type === 'DELETED') return undefined;
    const { spec } = object as StatefulSet; // Of this kind.
    const store = cluster.objects.find(kvStoreClusters, 'default', 'orders');
    const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
    const [follower] = store && !isPromoted(cluster, store, spec.template) ? followers(cluster, store, partition) : [];
    return follower && `${follower} may run another template, and no user has promoted it`;
  },
};

/** A scenario of three members, of which the others follow a canary when a user promotes it. */
export const promoted = (scenario: Parameters<typeof searched>[0]): Searched => ({
  ...searched(scenario),
  oracles: [...kvStoreInvariants, promotionIsAwaited],
});

const awaitsPromotion = (cluster: TestCluster): boolean =>
  storeNow(cluster)?.status?.upgrade?.step === 'AwaitingPromotion';

/** What the second change gives the members. */
const team = { team: 'data' };

const allAreOf = (cluster: TestCluster, annotations: Readonly<Record<string, string>>): boolean =>
  cluster.objects
    .list(pods, 'default')
    .every(({ metadata }) =>
      Object.entries(annotations).every(([key, value]) => metadata.annotations?.[key] === value),
    );

/**
 * What was said of a version does not promote a template of the same version. While that waits, a member that it holds back is not ready. The first version of a cluster that has not come up
 * by its record has nothing that a canary could be held against: after a restore of etcd all members may follow the next version at once, and no promotion is awaited.
 */
export const sameVersion = promoted({
  name: 'a canary of the same version that awaits its promotion, while another member is not ready',
  setUp: setUp({ upgradeStrategy: 'Canary', canary: { promotion: 'Manual' } }),
  drive: async (cluster, until) => {
    await until(() => allRun(cluster, '1.0'));
    await change(cluster, { version: '2.0' });
    await until(() => awaitsPromotion(cluster) || allRun(cluster, '2.0'));
    await annotate(cluster, { [promoteAnnotation]: '2.0' });
    await until(() => allRun(cluster, '2.0'));
    await change(cluster, { podTemplate: { metadata: { annotations: team } } });
    await until(() => awaitsPromotion(cluster) || (allRun(cluster, '2.0') && allAreOf(cluster, team)));
    ailing.set(cluster, 'orders-0');
    await pass(cluster, until, 300_000);
    ailing.delete(cluster);
    for (let seen = cluster.clock.now(); cluster.clock.now() < seen + 150_000;) {
      await until(() => awaitsPromotion(cluster) || cluster.clock.now() >= seen + 150_000);
      if (!awaitsPromotion(cluster)) continue;
      await annotate(cluster, { [promoteAnnotation]: storeNow(cluster)?.status?.upgrade?.toRevision });
      await until(() => !awaitsPromotion(cluster));
      seen = cluster.clock.now();
    }
  },
  isDone: (cluster) => allRun(cluster, '2.0') && storeNow(cluster)?.status?.upgrade === undefined,
  actions: meddling,
});
