import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Instant, ObjectKey, Pod } from '@ordinal/client';
import { controllerOf, statefulSets } from '@ordinal/client';
import { hashIn, kvStoreSelector, purposeLabel, selectorText, storeTakenOverByLabel } from '@ordinal/constructs';
import type { KVStoreNamed, Purpose } from '@ordinal/constructs';
import { SealedJobs, SealedStatuses, hasEnded, protect } from '@ordinal/lifecycle';
import type { DisruptionView, MemberProtection, RolloutObservation, Seals } from '@ordinal/lifecycle';
import type { CacheReader } from '@ordinal/runtime';
import { jobMarks, reservationAnnotation } from '../annotations.ts';
import { isKept } from './ahead-members.ts';
import { blockedOf } from './blocked.ts';
import type { Wanted } from './children.ts';
import { checksOf } from './member-checks.ts';
import { clusterMemory } from './memory.ts';
import type { Observation } from './observation.ts';
import { membersOf, toBuild } from './observation.ts';
import { observeAround } from './observe.ts';
import { isReleased, isReleasedBy } from './reserved.ts';
import { observeRollout } from './rollout-observation.ts';
import { decideUpgrade } from './rollout-step.ts';
import { decideScale } from './scale.ts';
import { validateKVStoreCluster } from './validate.ts';

/** Protects the members of clusters from deletions and evictions. */
export function protectClusters(options: { readonly reader: CacheReader; readonly seals: Seals }): MemberProtection {
  const { reader, seals } = options;
  const statuses = new SealedStatuses(clusterMemory, seals);
  const jobs = new SealedJobs(kvStoreClusters, seals, jobMarks);
  return protect<KVStoreCluster>({
    descriptor: kvStoreClusters,
    ...{ reader, statuses, reservationAnnotation, ownerOf },
    movesSet: true,
    isMember: ({ metadata }, cluster) => isSelected(metadata.labels, toBuild(cluster)),
    memberSelector: (cluster) => selectorText(kvStoreSelector(toBuild(cluster))),
    observe(cluster, found) {
      const own = jobs.of(cluster);
      const seen = observeAround(cluster, reader, { ...found, sealer: statuses.sealer(cluster), own });
      return {
        ...{ pods: found.pods, checks: checksOf(cluster.spec), create: own.create },
        view: ({ answers, now }) => disruptionView({ ...seen, asked: answers }, now),
      };
    },
  });
}

/** All of the labels by which its StatefulSet selects it. */
const isSelected = (labels: Pod['metadata']['labels'], cluster: KVStoreNamed): boolean =>
  Object.entries(kvStoreSelector(cluster)).every(([key, value]) => labels?.[key] === value);

/** The cluster to which a pod says it belongs: by all of the labels of its own members, or by the mark of those that were taken over. */
function ownerOf({ metadata }: Pod): ObjectKey | undefined {
  const { namespace = '', labels = {} } = metadata;
  const { 'app.kubernetes.io/instance': own = '' } = labels;
  const name = own !== '' && isSelected(labels, { name: own }) ? own : labels[storeTakenOverByLabel];
  return name === undefined ? undefined : { namespace, name };
}

/**
 * What the gate decides about a cluster's members from; undefined where the cluster is being deleted. One member at a time: while another one is down, is released to the
 * StatefulSet's controller by an upgrade or a reduction, or is about to be, and while a Job works on the members, none goes. Pure.
 */
function disruptionView(seen: Observation, now: Instant): DisruptionView | undefined {
  const { cluster, statefulSet, pods } = seen;
  if (cluster.metadata.deletionTimestamp !== undefined) return undefined;
  const intended = intendedOf(seen, now);
  const replicas = statefulSet?.spec.replicas ?? 0;
  const released = membersOf(seen).filter(
    (member) => isReleased(member, seen) || (intended && isReleasedBy(member, seen, intended)),
  );
  const job = jobAtWork(seen, now);
  return {
    rollout: rolloutOf(seen, now),
    setName: cluster.metadata.name,
    gatedReplicas: Math.max(replicas, intended?.replicas ?? cluster.spec.replicas),
    ...{ pods, released },
    isUnclaimed: (pod) => isUnclaimed(pod, seen),
    ...(job === undefined ? {} : { busy: { because: `the Job ${job} works on the members` } }),
  };
}

/** What the operator makes of the StatefulSet next, as the API server has everything; undefined where it does nothing. */
function intendedOf(seen: Observation, now: Instant): Wanted | undefined {
  if (!seen.statefulSet || blockedOf(seen, validateKVStoreCluster(seen.cluster))) return undefined;
  const { template, partition } = decideUpgrade(seen, now);
  return { template, partition, replicas: decideScale(seen, now).replicas };
}

/** Another member than the one that another client may delete is not reserved: those that the operator has released are listed beside. */
function rolloutOf(seen: Observation, now: Instant): RolloutObservation {
  const { statefulSet, reserved } = seen;
  const { reserved: _released, ...rollout } = observeRollout(seen, hashIn(statefulSet?.spec.template), now);
  const replicas = statefulSet?.spec.replicas ?? 0;
  return { ...rollout, replicas, ...(reserved === undefined ? {} : { reserved }) };
}

/** Purposes whose Jobs read or write what the members hold. An analysis judges a member, and is made again for another one. */
const onMembers: ReadonlySet<string> = new Set<Purpose>([
  'BeforeUpgrade',
  'BeforeScaleDown',
  'Backup',
  'FinalBackup',
  'Restore',
]);

/** The name of a Job that works on the members and has not ended; each ends by its deadline. */
function jobAtWork({ jobs }: Observation, now: Instant): string | undefined {
  return jobs
    .filter((job) => onMembers.has(job.metadata.labels?.[purposeLabel] ?? '') && !hasEnded(job, now))
    .map(({ metadata }) => metadata.name)
    .sort()[0];
}

/** Whether a pod belongs to a StatefulSet of this name that is not there or has not taken it up again, or the cluster controls it until then. */
function isUnclaimed(pod: Pod, { cluster, statefulSet }: Observation): boolean {
  const { name } = cluster.metadata;
  const controller = controllerOf(pod);
  if (!/^-\d+$/.test(pod.metadata.name.slice(name.length)) || !pod.metadata.name.startsWith(name)) return false;
  if (!controller) return cluster.status?.currentVersion !== undefined;
  if (isKept(pod, cluster)) return true;
  return (
    controller.kind === statefulSets.kind && controller.name === name && controller.uid !== statefulSet?.metadata.uid
  );
}
