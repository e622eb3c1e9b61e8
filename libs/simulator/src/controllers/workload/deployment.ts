import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { KubernetesObject, ObjectKey } from '@ordinal/client';
import { isApiError, controllerOf, controllerReference } from '@ordinal/client';
import { claimed, itsControllerOrSuitors } from '../claim.ts';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { itself } from '../controller.ts';
import { goJson, hashText } from '../hash.ts';
import { kinds } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { selectedBy } from '../selector.ts';
import { deploymentStatus, progressDeadlineMs } from './deployment-status.ts';
import { desiredReplicas, isCurrent, hashLabel, maxSurge, scaled } from './live-deployment.ts';
import type { LiveDeployment, LiveReplicaSet } from './live-deployment.ts';
import { lacksSizeNotes, sizeNotes, sizesAfterScale, wasScaled } from './proportions.ts';
import type { Size } from './proportions.ts';
import { annotationsOf, handedOn, nextRevision, revisionAnnotation, revisionOf } from './revision-notes.ts';

/** The Deployment controller. The hashes in the names of its ReplicaSets are its own: Kubernetes' are made of Go's way to print a structure. */
export const deploymentController: ControllerDefinition = {
  name: 'deployment-controller',
  watches: [
    { kind: kinds.deployment, keys: itself },
    { kind: kinds.replicaSet, keys: itsControllerOrSuitors(kinds.deployment) },
    // The last old pod's end is what `Recreate` waits for.
    { kind: kinds.pod, keys: ({ type, object }, store) => (type === 'DELETED' ? deploymentsOf(object, store) : []) },
  ],
  reconcile: ({ namespace, name }, context) => {
    const deployment = context.store.find<Deployment>(kinds.deployment, namespace, name);
    if (deployment === undefined) return undefined;
    const sets = claimSets(deployment, context);
    if (isTerminating(deployment)) return writeStatus(deployment, sets, context);
    const isScaling = deployment.spec?.paused === true || wasScaled(deployment, sets);
    const current = currentSet(deployment, sets, { ...context, creates: !isScaling });
    const old = sets.filter(({ metadata }) => metadata.uid !== current?.metadata.uid);
    if (isScaling) for (const size of sizesAfterScale({ deployment, current, old })) scale(deployment, size, context);
    else roll(deployment, current, old, context);
    const after = context.store
      .list<ReplicaSet>(kinds.replicaSet, namespace)
      .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
    cleanUp(deployment, after, context);
    return writeStatus(context.store.find<Deployment>(kinds.deployment, namespace, name) ?? deployment, after, context);
  },
};

function claimSets(deployment: LiveDeployment, { store }: ControllerContext): readonly LiveReplicaSet[] {
  const fits = selectedBy(deployment.spec?.selector);
  const sets = store.list<ReplicaSet>(kinds.replicaSet, deployment.metadata.namespace);
  return claimed<ReplicaSet>(sets, { kind: kinds.replicaSet, owner: deployment, fits }, store);
}

function deploymentsOf(pod: KubernetesObject, store: ControllerContext['store']): readonly ObjectKey[] {
  const namespace = pod.metadata.namespace ?? '';
  const set = store.find<ReplicaSet>(kinds.replicaSet, namespace, controllerOf(pod)?.name ?? '');
  const owner = set && controllerOf(set);
  return owner?.kind === 'Deployment' ? [{ namespace, name: owner.name }] : [];
}

const replicasOf = (set: LiveReplicaSet | undefined): number => set?.spec?.replicas ?? 0;

function currentSet(
  deployment: LiveDeployment,
  sets: readonly LiveReplicaSet[],
  context: ControllerContext & { readonly creates: boolean },
): LiveReplicaSet | undefined {
  const { store, event, creates } = context;
  const existing = sets.find((set) => isCurrent(deployment, set));
  const revision = nextRevision(sets.filter((set) => set !== existing));
  if (existing !== undefined) return noted(deployment, existing, { revision, context });
  if (!creates || mustWait(deployment, sets, context)) return undefined;
  const { template, selector, minReadySeconds } = deployment.spec ?? {};
  const hash = hashText(goJson(template));
  const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
  const name = `${deployment.metadata.name}-${hash}`;
  try {
    const created = store.create<ReplicaSet>(kinds.replicaSet, {
      metadata: {
        name,
        namespace: deployment.metadata.namespace ?? '',
        labels,
        annotations: { ...handedOn(deployment), [revisionAnnotation]: String(revision), ...sizeNotes(deployment) },
        ownerReferences: [controllerReference(deployment)],
      },
      spec: {
        replicas: Math.max(
          0,
          Math.min(
            desiredReplicas(deployment),
            desiredReplicas(deployment) + maxSurge(deployment) - sets.reduce((sum, set) => sum + replicasOf(set), 0),
          ),
        ),
        selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
        template: { ...template, metadata: { ...template?.metadata, labels } },
        ...(minReadySeconds !== undefined && { minReadySeconds }),
      },
    });
    event(deployment, 'Normal', [
      'ScalingReplicaSet',
      `Scaled up replica set ${name} from 0 to ${replicasOf(created)}`,
    ]);
    annotateRevision(deployment, String(revision), context);
    return created;
  } catch (error) {
    if (isApiError(error, 'AlreadyExists'))
      return store.find<ReplicaSet>(kinds.replicaSet, deployment.metadata.namespace ?? '', name);
    throw error;
  }
}

/** The present ReplicaSet with the annotations that its Deployment gives it, and the Deployment with its revision. */
function noted(
  deployment: LiveDeployment,
  set: LiveReplicaSet,
  { revision, context }: { readonly revision: bigint; readonly context: ControllerContext },
): LiveReplicaSet {
  const annotations = annotationsOf(deployment, set, revision);
  const own = annotations[revisionAnnotation];
  if (own !== undefined && own !== deployment.metadata.annotations?.[revisionAnnotation])
    annotateRevision(deployment, own, context);
  if (goJson(annotations) === goJson(set.metadata.annotations ?? {})) return set;
  return context.store.update<ReplicaSet>(kinds.replicaSet, { ...set, metadata: { ...set.metadata, annotations } });
}

/** With `Recreate`, the new ReplicaSet is not made before the last old pod has ended. */
function mustWait(deployment: LiveDeployment, sets: readonly LiveReplicaSet[], context: ControllerContext): boolean {
  if (deployment.spec?.strategy?.type !== 'Recreate') return false;
  for (const set of sets) scale(deployment, { set, replicas: 0 }, context);
  const uids = new Set(sets.map(({ metadata }) => metadata.uid));
  return context.store
    .list<Pod>(kinds.pod, deployment.metadata.namespace)
    .some(
      (pod) =>
        uids.has(controllerOf(pod)?.uid ?? '') && pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed',
    );
}

function annotateRevision(deployment: LiveDeployment, revision: string, { store }: ControllerContext): void {
  const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
  // Through the status: a deployment's annotations are part of its generation, except when they come that way.
  store.updateStatus<Deployment>(kinds.deployment, {
    ...deployment,
    metadata: { ...deployment.metadata, annotations },
  });
}

function roll(
  deployment: LiveDeployment,
  current: LiveReplicaSet | undefined,
  old: readonly LiveReplicaSet[],
  context: ControllerContext,
): void {
  if (current === undefined) return;
  const oldTotal = old.reduce((sum, set) => sum + replicasOf(set), 0);
  if (deployment.spec?.strategy?.type === 'Recreate') {
    for (const set of old) scale(deployment, { set, replicas: 0 }, context);
    scale(deployment, { set: current, replicas: desiredReplicas(deployment) }, context);
    return;
  }
  const total = oldTotal + replicasOf(current);
  if (replicasOf(current) > desiredReplicas(deployment)) {
    scale(deployment, { set: current, replicas: desiredReplicas(deployment) }, context);
    return;
  }
  const room = desiredReplicas(deployment) + maxSurge(deployment) - total;
  if (replicasOf(current) < desiredReplicas(deployment) && room > 0) {
    const replicas = Math.min(desiredReplicas(deployment), replicasOf(current) + room);
    scale(deployment, { set: current, replicas }, context);
    return;
  }
  const minAvailable = desiredReplicas(deployment) - unavailable(deployment);
  for (const [set, replicas] of withoutSpare(current, old, { total, minAvailable }))
    scale(deployment, { set, replicas }, context);
}

const availableOf = ({ status }: LiveReplicaSet): number => status?.availableReplicas ?? 0;

/** How many pods old ReplicaSets keep: those that are not available go first, and then as many as are available above the least. */
function withoutSpare(
  current: LiveReplicaSet,
  old: readonly LiveReplicaSet[],
  { total, minAvailable }: { readonly total: number; readonly minAvailable: number },
): ReadonlyMap<LiveReplicaSet, number> {
  let removable = total - minAvailable - (replicasOf(current) - availableOf(current));
  const kept = new Map(
    [...old]
      .sort((left, right) => left.metadata.creationTimestamp.localeCompare(right.metadata.creationTimestamp))
      .map((set) => [set, replicasOf(set)]),
  );
  if (removable <= 0) return kept;
  for (const [set, replicas] of kept) {
    const broken = Math.min(removable, Math.max(0, replicas - availableOf(set)));
    kept.set(set, replicas - broken);
    removable -= broken;
  }
  let spare = [current, ...old].reduce((sum, set) => sum + availableOf(set), 0) - minAvailable;
  for (const [set, replicas] of kept) {
    const steps = Math.max(0, Math.min(spare, replicas));
    kept.set(set, replicas - steps);
    spare -= steps;
  }
  return kept;
}

function scale(
  deployment: LiveDeployment,
  { set, replicas, notes = false }: Size,
  { store, event }: ControllerContext,
): void {
  const before = replicasOf(set);
  if (before === replicas && !(notes && lacksSizeNotes(deployment, set))) return;
  store.update<ReplicaSet>(kinds.replicaSet, {
    ...set,
    metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...sizeNotes(deployment) } },
    spec: { ...set.spec, selector: set.spec?.selector ?? {}, replicas },
  });
  event(deployment, 'Normal', [
    'ScalingReplicaSet',
    `Scaled ${replicas > before ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${replicas}`,
  ]);
}

/** How many pods may be missing. Where neither a surplus nor a lack is allowed, one may: the roll would never begin otherwise. */
function unavailable(deployment: LiveDeployment): number {
  const count = scaled(
    deployment.spec?.strategy?.rollingUpdate?.maxUnavailable ?? '25%',
    desiredReplicas(deployment),
    Math.floor,
  );
  return count === 0 && maxSurge(deployment) === 0 ? 1 : Math.min(count, desiredReplicas(deployment));
}

function cleanUp(deployment: LiveDeployment, sets: readonly LiveReplicaSet[], { store }: ControllerContext): void {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const idle = sets.filter(
    (set) =>
      !isCurrent(deployment, set) && replicasOf(set) === 0 && (set.status?.replicas ?? 0) === 0 && !isTerminating(set),
  );
  idle.sort((left, right) => (revisionOf(left) < revisionOf(right) ? -1 : 1));
  for (const set of idle.slice(0, Math.max(0, idle.length - limit))) store.delete(kinds.replicaSet, set);
}

function writeStatus(
  deployment: LiveDeployment,
  sets: readonly LiveReplicaSet[],
  { store, clock }: ControllerContext,
): number | undefined {
  const status = deploymentStatus(deployment, sets, clock.now());
  if (JSON.stringify(status) !== JSON.stringify(deployment.status)) {
    store.updateStatus<Deployment>(kinds.deployment, { ...deployment, status });
  }
  return progressDeadlineMs(deployment, status, clock.now());
}
