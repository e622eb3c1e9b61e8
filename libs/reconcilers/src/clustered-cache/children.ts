import type { ClusteredCache } from '@ordinal/api';
import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor, StatefulSet } from '@ordinal/client';
import { podDisruptionBudgets, services, statefulSets, controllerOf, defined } from '@ordinal/client';
import { hashOf, synthesizeClusteredCache } from '@ordinal/constructs';
import type { StatefulSetNow } from '@ordinal/constructs';
import type { Action, Problem } from '@ordinal/lifecycle';
import { asServed, driftOf, identityOf, neededByMembers, onlyAsSeen } from '@ordinal/lifecycle';
import { previousTemplateAnnotation } from '../annotations.ts';
import { appliedHashAnnotation } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { toBuild } from './template.ts';
import type { WantedTemplate } from './template.ts';

const descriptors: Readonly<Record<string, ResourceDescriptor>> = {
  Service: services,
  PodDisruptionBudget: podDisruptionBudgets,
  StatefulSet: statefulSets,
};

const controls = (ownerUid: string, child: KubernetesObject): boolean => controllerOf(child)?.uid === ownerUid;

/** A child that another object controls: the operator does not touch it, and reports it. */
export function takenName({ cache, children }: CacheObservation): Problem | undefined {
  const { set, membersService, clientService, budget } = children;
  // Without a port no Service for clients is wanted, and beside what was taken over no other: whose they are does not matter then.
  const beside = cache.spec.adopt ? [] : [membersService];
  const wanted = [set, ...beside, budget, ...(cache.spec.port === undefined ? [] : [clientService])];
  const isTaken = (child: KubernetesObject): boolean =>
    !controls(cache.metadata.uid, child) && !(cache.spec.adopt && child !== set && controllerOf(child) === undefined);
  const taken = wanted.find((child) => child && isTaken(child));
  if (!taken) return undefined;
  const { kind, metadata } = taken;
  const message = `${kind} ${metadata.namespace ?? ''}/${metadata.name} exists and does not belong to this ClusteredCache: delete it, or give the ClusteredCache another name`;
  return { reason: 'NameTaken', message, retry: 'backoff' };
}

/** What can't be changed of a StatefulSet that was made by another client. */
const fixedIn = ({ spec }: StatefulSet): NonNullable<StatefulSetNow['fixed']> => {
  const { selector, podManagementPolicy, volumeClaimTemplates } = spec;
  // As they are read they are what may be written.
  return defined({ selector, podManagementPolicy, volumeClaimTemplates }) as NonNullable<StatefulSetNow['fixed']>;
};

interface Wanted {
  readonly descriptor: ResourceDescriptor;
  readonly object: KubernetesObjectInput;
  readonly observed: KubernetesObject | undefined;
}

function wantedChildren(seen: CacheObservation, wanted: WantedTemplate, replicas: number): Wanted[] {
  const annotations = wanted.previous === undefined ? {} : { [previousTemplateAnnotation]: wanted.previous };
  const { set, membersService, clientService, budget } = seen.children;
  const present = [set, membersService, clientService, budget];
  const manifests = synthesizeClusteredCache({
    ...toBuild(seen.cache),
    now: {
      replicas,
      template: wanted.made,
      annotations,
      ...(seen.cache.spec.adopt && set ? { fixed: fixedIn(set) } : {}),
    },
  });
  return manifests.flatMap((manifest) => {
    const descriptor = descriptors[manifest.kind];
    if (!descriptor) throw new TypeError(`a ClusteredCache has no child of kind ${manifest.kind}`);
    const observed = present.find(
      (child) => child?.kind === manifest.kind && child.metadata.name === manifest.metadata.name,
    );
    const object = manifest as unknown as KubernetesObjectInput; // A manifest is an object as it is written.
    const marks = { ...object.metadata.annotations, [appliedHashAnnotation]: hashOf(object) };
    return [{ descriptor, observed, object: { ...object, metadata: { ...object.metadata, annotations: marks } } }];
  });
}

/** A child of the same name that was there beside a StatefulSet that was taken over: it stays as it is. */
const isLeft = ({ observed }: Wanted, { metadata, spec }: ClusteredCache): boolean =>
  spec.adopt !== undefined &&
  observed !== undefined &&
  controllerOf(observed) === undefined &&
  !controls(metadata.uid, observed);

function apply({ descriptor, object, observed }: Wanted): Action | undefined {
  const common = { kind: 'apply', descriptor, ...neededByMembers(descriptor) } as const;
  if (!observed) return { ...common, object, onlyIfAbsent: true, because: 'it does not exist' };
  const drift = driftOf(observed, asServed(object, observed));
  if (drift === undefined) return undefined;
  return { ...common, object: onlyAsSeen(object, observed), because: `${drift} is not what is wanted` };
}

/** Creates the children that are missing, puts back what has drifted, and deletes what the spec wants no more. */
export function childActions(seen: CacheObservation, wanted: WantedTemplate, replicas: number): Action[] {
  const children = wantedChildren(seen, wanted, replicas);
  const applied = children.filter((child) => !isLeft(child, seen.cache)).flatMap((child) => apply(child) ?? []);
  const { clientService, budget } = seen.children;
  const obsolete = [clientService, budget].flatMap((child) => {
    if (!child || children.some(({ observed }) => observed === child) || !controls(seen.cache.metadata.uid, child))
      return [];
    const descriptor = child.kind === 'Service' ? services : podDisruptionBudgets;
    const common = { kind: 'delete' as const, descriptor, ...neededByMembers(descriptor) };
    return [{ ...common, target: identityOf(child), because: 'the spec wants it no more' }];
  });
  return [...applied, ...obsolete];
}
