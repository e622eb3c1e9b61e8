import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import { claimsAreNotOwnedBy } from '@ordinal/explorer';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { kvStoreClusterMetrics } from '../../../libs/reconcilers/src/kv-store-cluster/index.ts';
import { currentVersionIsTrue } from '../oracles/current-version.ts';
import { failedJobsAreVisible } from '../oracles/failed-jobs-are-visible.ts';
import type { Visible } from '../oracles/failures-are-visible.ts';
import { failuresAreVisible } from '../oracles/failures-are-visible.ts';
import { failedRevisionsDoNotStart } from '../oracles/failed-revisions.ts';
import { nothingComesBack } from '../oracles/nothing-comes-back.ts';
import { noOlderVersion } from '../oracles/no-older-version.ts';
import { nothingIsWrittenInVain } from '../oracles/needless-writes.ts';
import { nothingForTheDying } from '../oracles/nothing-for-the-dying.ts';
import { oldSpecsAreNotCarriedOut } from '../oracles/old-specs.ts';
import { membersAreOfOneTemplate } from '../oracles/one-template.ts';
import { mayBeMerged } from '../../../libs/reconcilers/test/world/restored.ts';
import { phaseAndConditionsAgree } from '../../../libs/reconcilers/test/world/phase-and-conditions.ts';
import { refusalsAreAdmissions } from '../oracles/refusals-are-admissions.ts';
import { timesAreTrue } from '../oracles/times-are-true.ts';
import { backupInvariants } from './backup-invariants.ts';
import { canaryInvariants } from './canary-invariants.ts';
import { deletionInvariants } from './deletion-invariants.ts';
import { isKept, keptMembersGetTheirPlace } from './kept-members.ts';
import { clusters, kind, membersOf, ordinalOf } from './members.ts';
import { replacementInvariants } from './replacement-invariants.ts';
import { volumeInvariants } from './volume-invariants.ts';

/** What a status says goes together. */
export const statusAgreesWithItself: Invariant = {
  name: 'a status says what is so',
  afterChange: (cluster, change) => {
    if (change.kind !== kind || change.type !== 'MODIFIED' || mayBeMerged(cluster)) return undefined;
    const { spec, status, metadata } = change.object as KVStoreCluster; // Of this kind.
    const isTrue = (type: string): boolean =>
      status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
    const serving = status?.readyReplicas ?? 0;
    if (spec.replicas > 0 && serving === 0 && isTrue('Available')) return 'it is available, and no member serves';
    if (status?.observedGeneration !== metadata.generation) return undefined;
    if (status?.phase === 'Ready' && serving !== spec.replicas)
      return `it is ready, with ${serving} of ${spec.replicas} members`;
    return isTrue('Ready') && status?.phase !== 'Ready' ? `it is ready, and ${status?.phase ?? 'nothing'}` : undefined;
  },
};

/** What is done is what is asked for now. */
const oldSpecs = oldSpecsAreNotCarriedOut(kind, (cluster, name) => {
  const store = clusters(cluster).find(({ metadata }) => metadata.name === name);
  if (store?.metadata.deletionTimestamp !== undefined || !store) return undefined;
  const { spec, status } = store;
  const imageOf = (version: string): string => `${spec.image}:${version}`;
  const hasFailed = status?.failedRevision !== undefined && status.currentVersion !== undefined;
  return {
    image: imageOf(spec.version),
    replicas: spec.replicas,
    before: hasFailed ? imageOf(status.currentVersion) : undefined,
    shrinkingFrom: sizeBeforeReduction(cluster, store),
  };
});

/** How many members there were before a reduction that is not through, or as many as there is to be room for those that the cluster itself controls. */
function sizeBeforeReduction(cluster: TestCluster, { metadata: { name }, status }: KVStoreCluster): number {
  const jobs = status?.hooks?.filter(
    ({ purpose, result, spent }) => purpose === 'BeforeScaleDown' && result !== 'Succeeded' && spent !== true,
  );
  const kept = membersOf(cluster, name).filter(isKept);
  return Math.max(
    status?.shrinkingFrom ?? 0,
    ...(jobs ?? []).map(({ subject }) => Number(subject.split('>')[0])),
    ...kept.map(({ metadata }) => ordinalOf(metadata.name) + 1),
  );
}

/** A member's volume sees no older version than it has seen, unless a user or a failure asks for it. */
const neverOlder = noOlderVersion(
  kind,
  (object) => {
    const { metadata, spec, status } = object as KVStoreCluster; // Of this kind.
    const hasFailed = status?.failedRevision !== undefined && status.currentVersion !== undefined;
    return {
      metadata,
      image: `${spec.image}:${spec.version}`,
      goesBackTo: hasFailed ? `${spec.image}:${status.currentVersion}` : undefined,
    };
  },
  ({ objects }, namespace, name) => objects.find(kvStoreClusters, namespace, name),
);

/** What shows of a failure: conditions, and gauges. */
const shown: Visible = {
  find: (cluster) => cluster.objects.find(kvStoreClusters, 'default', 'orders'),
  gauges: (store, now) => kvStoreClusterMetrics([store as KVStoreCluster], now),
};

/** What the API server refuses shows. */
export const storeFailuresAreVisible: Invariant = failuresAreVisible(shown);

/** Failed Jobs and checks without an answer show. */
export const storeJobsAreVisible: Invariant = failedJobsAreVisible(shown, kind);

/** The invariants of every history of a KVStoreCluster. */
export const kvStoreInvariants: readonly Invariant[] = [
  storeFailuresAreVisible,
  storeJobsAreVisible,
  currentVersionIsTrue(kind, { of: membersOf, runs: (image, version) => image?.endsWith(`:${version}`) ?? false }),
  failedRevisionsDoNotStart({
    kind,
    find: ({ objects }, namespace, name) => objects.find(kvStoreClusters, namespace, name),
    returnsAsItRan: true,
  }),
  membersAreOfOneTemplate(
    (cluster, name) => clusters(cluster).find(({ metadata }) => metadata.name === name)?.status?.phase === 'Ready',
  ),
  claimsAreNotOwnedBy('KVStoreCluster'),
  nothingForTheDying('KVStoreCluster', kind),
  refusalsAreAdmissions(kind),
  nothingComesBack(kind, ({ objects }, namespace, name) => objects.find(kvStoreClusters, namespace, name)),
  oldSpecs,
  neverOlder,
  keptMembersGetTheirPlace,
  nothingIsWrittenInVain(),
  statusAgreesWithItself,
  phaseAndConditionsAgree('KVStoreCluster', kind),
  ...timesAreTrue(kind),
  ...canaryInvariants,
  ...replacementInvariants,
  ...deletionInvariants,
  ...volumeInvariants,
  ...backupInvariants,
];
