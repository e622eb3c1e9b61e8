import type { MonitoredStatefulSet } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import type { Instant, Pod } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import type { SetWorld } from '../../../libs/reconcilers/test/external/set-world.ts';
import { setNow } from '../../../libs/reconcilers/test/external/set-world.ts';
import { wasRestored } from '../../../libs/reconcilers/test/world/restored.ts';

type Broken = (invariant: string, what: string) => void;

const isServing = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

const isMember = ({ metadata }: Pod): boolean => metadata.labels?.['app'] === 'db';

/** The members that do not serve, of those that the StatefulSet keeps. */
function unservingIn({ cluster }: SetWorld, except: string): readonly string[] {
  const set = cluster.objects.find(statefulSets, 'team', 'db');
  const present = cluster.objects.list(pods, 'team').filter(isMember);
  return Array.from({ length: set?.spec.replicas ?? 0 }, (_, ordinal) => `db-${ordinal}`).filter((name) => {
    const pod = present.find(({ metadata }) => metadata.name === name);
    return name !== except && (pod === undefined || !isServing(pod));
  });
}

/** What must hold of a pod that begins to end while the operator replaces the pods: whichever client deletes it, every deletion meets the gates here. */
function checkEnd(world: SetWorld, pod: Pod, broken: Broken): void {
  const { name } = pod.metadata;
  const owner = world.cluster.objects.find(statefulSets, 'team', 'db');
  if (!isServing(pod) || owner === undefined || owner.metadata.deletionTimestamp !== undefined) return;
  const others = unservingIn(world, name);
  const asked = world.cluster.objects.find(monitoredStatefulSets, 'team', 'db')?.spec.upgrade;
  if (others.length >= Number(asked?.maxUnavailable ?? 1))
    broken('I8', `${name} served, and was deleted while ${others.join(', ')} did not serve`);
  if (!world.gate.isOpen) broken('gate', `${name} served, and was deleted while its gate was closed`);
  checkOrder(world, pod, broken);
}

/** With `LeaderLast`, a leader that serves and is outdated goes after all others. */
function checkOrder({ cluster, gate }: SetWorld, pod: Pod, broken: Broken): void {
  const { spec } = setNow(cluster, 'db') ?? {};
  const wanted = spec?.statefulSetSpec.template.spec?.containers[0]?.image;
  if (spec?.upgrade?.order !== 'LeaderLast' || pod.metadata.name !== gate.leader || imageOf(pod) === wanted) return;
  const outdated = cluster.objects
    .list(pods, 'team')
    .filter((one) => isMember(one) && one.metadata.uid !== pod.metadata.uid && imageOf(one) !== wanted);
  if (outdated.length > 0)
    broken('LeaderLast', `${pod.metadata.name} leads, and was deleted before ${outdated[0]?.metadata.name ?? ''}`);
}

const imageOf = ({ spec }: Pod): string | undefined => spec.containers[0]?.image;

/** What all members are said to run is what they run. */
function checkVersion(
  world: SetWorld,
  before: MonitoredStatefulSet,
  after: MonitoredStatefulSet,
  broken: Broken,
): void {
  const { currentVersion } = after.status ?? {};
  if (currentVersion === undefined || currentVersion === before.status?.currentVersion) return;
  const others = world.cluster.objects
    .list(pods, 'team')
    .filter((pod) => isMember(pod) && pod.spec.containers[0]?.image !== currentVersion);
  const names = others.map(({ metadata }) => metadata.name);
  if (names.length > 0)
    broken('S0.7', `currentVersion became ${currentVersion} while ${names.join(', ')} ran something else`);
}

/** How long after a failure was recorded what ran before may still have to be put back, in milliseconds: an outage, and the pause after it. */
const putBackWithinMs = 300_000;

/** No pod is made of what has failed, once that is on record and there was time to put back what ran before. Where nothing ran before there is nothing else to make one of. */
function checkMade(
  { cluster }: SetWorld,
  { metadata, spec }: Pod,
  failedSince: Instant | undefined,
  broken: Broken,
): void {
  const set = setNow(cluster, 'db');
  const { failedRevision, currentVersion } = set?.status ?? {};
  if (failedRevision === undefined || failedSince === undefined || set?.metadata.deletionTimestamp !== undefined)
    return;
  const [wanted] = set?.spec.statefulSetSpec.template.spec?.containers ?? [];
  const image = spec.containers[0]?.image;
  if (image !== wanted?.image || currentVersion === undefined || image === currentVersion) return;
  const forMs = cluster.clock.now() - failedSince;
  if (forMs > putBackWithinMs)
    broken(
      'failed',
      `${metadata.name} was made of ${image ?? ''}, which had failed ${Math.round(forMs / 1000)} s before`,
    );
}

/** A deadline is a minute over, and the upgrade has not failed (I19). */
function checkDeadline({ cluster }: SetWorld, { status }: MonitoredStatefulSet, broken: Broken): void {
  const { deadline, step } = status?.upgrade ?? {};
  if (deadline === undefined || step === 'Failed' || step === 'AwaitingReplacement') return;
  if (cluster.clock.now() > Date.parse(deadline) + 60_000)
    broken('I19', `the deadline ${deadline} is over at ${step ?? ''}`);
}

/**
 * Watches a set whose pods the operator replaces. Nothing is promised after a restore of etcd, which brings pods back that are gone. `isTimed`: the operator’s clock is right, by which deadlines are
 * said. Returns what ends it.
 */
export function watchUpgrades(world: SetWorld, broken: Broken, isTimed: boolean): () => void {
  let failedSince: Instant | undefined;
  return world.cluster.server.store.subscribe(({ kind, before, after, deleted, restored }) => {
    if (restored === true || deleted || wasRestored(world.cluster)) return;
    // The store holds what the API server has validated.
    if (before === undefined) {
      if (kind === 'pods' && isMember(after as unknown as Pod))
        checkMade(world, after as unknown as Pod, failedSince, broken);
      return;
    }
    if (kind === 'pods' && isMember(after as unknown as Pod)) {
      const ends = before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
      if (ends) checkEnd(world, before as unknown as Pod, broken);
    }
    if (kind !== 'monitoredstatefulsets.statefulsets.example.com' || after.metadata.deletionTimestamp !== undefined)
      return;
    const set = after as unknown as MonitoredStatefulSet;
    const hasFailed = set.status?.failedRevision !== undefined;
    failedSince = hasFailed ? (failedSince ?? world.cluster.clock.now()) : undefined;
    checkVersion(world, before as unknown as MonitoredStatefulSet, set, broken);
    if (isTimed) checkDeadline(world, set, broken);
  });
}
