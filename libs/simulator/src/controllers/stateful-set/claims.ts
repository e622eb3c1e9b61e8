import type { OwnerReference } from '@ordinal/client';
import { ApiError, controllerReference } from '@ordinal/client';
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import type { ControllerContext } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { LiveClaim, LivePod, LiveStatefulSet } from '../kinds.ts';
import { isTerminating } from '../owner.ts';
import { claimName, ordinalRange } from './identity.ts';

/** The pod whose claims are looked at: its live form is missing before it is created. */
export interface ClaimHolder {
  readonly set: LiveStatefulSet;
  readonly ordinal: number;
  readonly pod?: LivePod | undefined;
}

/**
 * Creates the claims that are missing. Throws where one of them is being deleted: a pod must not start on a volume that is about to go
 * (kubernetes#74374), so nothing happens until it is gone.
 */
export function createMissingClaims(holder: ClaimHolder, { store, event }: ControllerContext): void {
  const { set, ordinal } = holder;
  let terminating: string | undefined;
  for (const template of set.spec?.volumeClaimTemplates ?? []) {
    const name = claimName(set, template.metadata?.name ?? '', ordinal);
    const existing = store.find<PersistentVolumeClaim>(kinds.persistentVolumeClaim, set.metadata.namespace ?? '', name);
    if (existing === undefined) {
      store.create<PersistentVolumeClaim>(kinds.persistentVolumeClaim, {
        metadata: {
          name,
          namespace: set.metadata.namespace ?? '',
          labels: { ...template.metadata?.labels, ...set.spec?.selector.matchLabels },
          ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
        },
        ...(template.spec && { spec: template.spec }),
      });
      const podName = `${set.metadata.name}-${ordinal}`;
      event(set, 'Normal', [
        'SuccessfulCreate',
        `create Claim ${name} Pod ${podName} in StatefulSet ${set.metadata.name} success`,
      ]);
    } else if (isTerminating(existing)) {
      terminating = name;
    }
  }
  if (terminating !== undefined) throw claimIsTerminating(terminating);
}

/** Whether a claim still belongs to a pod of the past that is to take it along (`whenScaled: Delete`): a new pod must wait until it is gone. */
export function hasStaleClaim(holder: ClaimHolder, context: ControllerContext): boolean {
  if (retentionOf(holder.set).whenScaled === 'Retain') return false;
  return existingClaims(holder, context).some((claim) =>
    references(claim).some(
      (reference) => isReferenceToPod(reference, holder) && reference.uid !== holder.pod?.metadata.uid,
    ),
  );
}

/** Whether the claims' owner references say what the retention policy asks for. */
export function retentionMatches(holder: ClaimHolder, context: ControllerContext): boolean {
  return existingClaims(holder, context).every((claim) => retainedReferences(claim, holder) === undefined);
}

/** Sets the claims' owner references to what the retention policy asks for. */
export function applyRetention(holder: ClaimHolder, context: ControllerContext): void {
  for (const claim of existingClaims(holder, context)) {
    const ownerReferences = retainedReferences(claim, holder);
    if (ownerReferences === undefined) continue;
    context.store.update<PersistentVolumeClaim>(kinds.persistentVolumeClaim, {
      ...claim,
      metadata: { ...claim.metadata, ownerReferences },
    });
  }
}

function retentionOf(set: LiveStatefulSet): { readonly whenDeleted: string; readonly whenScaled: string } {
  const policy = set.spec?.persistentVolumeClaimRetentionPolicy;
  return { whenDeleted: policy?.whenDeleted ?? 'Retain', whenScaled: policy?.whenScaled ?? 'Retain' };
}

function existingClaims({ set, ordinal }: ClaimHolder, { store }: ControllerContext): LiveClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).flatMap((template) => {
    const name = claimName(set, template.metadata?.name ?? '', ordinal);
    return store.find<PersistentVolumeClaim>(kinds.persistentVolumeClaim, set.metadata.namespace ?? '', name) ?? [];
  });
}

const references = (claim: LiveClaim): readonly OwnerReference[] => claim.metadata.ownerReferences ?? [];

const isReferenceToPod = (reference: OwnerReference, { set, ordinal }: ClaimHolder): boolean =>
  reference.kind === 'Pod' && reference.apiVersion === 'v1' && reference.name === `${set.metadata.name}-${ordinal}`;

const isReferenceToSet = (reference: OwnerReference, { set }: ClaimHolder): boolean =>
  reference.kind === 'StatefulSet' && reference.apiVersion === set.apiVersion && reference.name === set.metadata.name;

/** The references that the claim is to have, or undefined where they are right, or not this controller's to change. */
function retainedReferences(claim: LiveClaim, holder: ClaimHolder): readonly OwnerReference[] | undefined {
  const { set, ordinal, pod } = holder;
  const present = references(claim);
  const ours = present.filter(
    (reference) => isReferenceToPod(reference, holder) || isReferenceToSet(reference, holder),
  );
  const uids = new Set([set.metadata.uid, pod?.metadata.uid]);
  // References to a namesake of the past: the garbage collector will deal with the claim.
  if (ours.some(({ uid }) => !uids.has(uid))) return undefined;
  const others = present.filter((reference) => !ours.includes(reference));
  const policy = retentionOf(set);
  const retainsAll = policy.whenDeleted === 'Retain' && policy.whenScaled === 'Retain';
  const foreignController = !retainsAll && others.some(({ controller }) => controller === true);
  const wanted = foreignController ? [] : wantedOwners(policy, isScaledDown(set, ordinal));
  const owners = wanted.flatMap((owner) => (owner === 'set' ? set : (pod ?? []))).map(controllerReference);
  const isRight =
    ours.length === owners.length &&
    owners.every(({ uid }) => ours.some((own) => own.uid === uid && own.controller === true));
  return isRight ? undefined : [...others, ...owners];
}

function wantedOwners(
  policy: { readonly whenDeleted: string; readonly whenScaled: string },
  scaledDown: boolean,
): readonly ('set' | 'pod')[] {
  if (scaledDown && policy.whenScaled === 'Delete') return ['pod'];
  return policy.whenDeleted === 'Delete' ? ['set'] : [];
}

function isScaledDown(set: LiveStatefulSet, ordinal: number): boolean {
  const { start, end } = ordinalRange(set);
  return ordinal < start || ordinal >= end;
}

function claimIsTerminating(name: string): ApiError {
  const message = `pvc ${name} is being deleted`;
  return new ApiError(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 409, reason: 'Conflict', message },
    'StatefulSet controller',
  );
}
