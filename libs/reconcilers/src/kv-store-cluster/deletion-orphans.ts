import type { Instant, KubernetesObject } from '@ordinal/client';
import { cleanUpStep, waitUntilGone } from '@ordinal/lifecycle';
import type { DeletionStep } from './deletion-step.ts';
import type { Observation } from './observation.ts';
import { objectOf } from './observation.ts';

/** The finalizer by which the garbage collector keeps what is deleted with `--cascade=orphan`, until it has orphaned the children. */
export const orphan = 'orphan';

/** What still names the cluster as its owner, as `kubectl` takes it. */
function owned({ cluster, statefulSet, children }: Observation): readonly string[] {
  const { uid } = cluster.metadata;
  const all = [...(statefulSet ? [statefulSet] : []), ...(children as readonly KubernetesObject[])]; // They were observed.
  return all
    .filter(({ metadata }) => metadata.ownerReferences?.some((reference) => reference.uid === uid))
    .map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
}

const patch = (objects: string, metadata: object): string =>
  `kubectl patch ${objects} --type merge -p '${JSON.stringify({ metadata })}'`;

/** The way out, in the order of the garbage collector: with the finalizer gone before its children are orphaned, a cluster is deleted with all that it has. */
function byHand(seen: Observation): string {
  const { namespace = 'default', finalizers = [] } = seen.cluster.metadata;
  const children = owned(seen);
  const first = children.length > 0 ? [patch(`-n ${namespace} ${children.join(' ')}`, { ownerReferences: null })] : [];
  const last = patch(objectOf(seen.cluster), { finalizers: finalizers.filter((one) => one !== orphan) });
  return [...first, last].join(' && ');
}

/** Waits until the garbage collector has orphaned the children. Its finalizer is left to it: what it has not orphaned yet would be lost. */
export function awaitOrphans(seen: Observation, now: Instant): DeletionStep {
  const waiting = cleanUpStep('Orphaning', 'waiting until the garbage collector has orphaned the children');
  const command = (): string =>
    `check that kube-controller-manager runs, which the garbage collector is a part of; by hand: ${byHand(seen)}`;
  return waitUntilGone(waiting, [seen.cluster], { now, command });
}
