import type { Invariant } from './invariant.ts';

/** Every delete names the UID of what it means: another object of the same name is never hit (I13). */
const deletesNameTheirObject: Invariant = {
  name: 'deletes carry the UID of what they mean (I13)',
  afterRequest: (_, request) => {
    if (request.verb !== 'delete' || request.status >= 400 || request.preconditions?.uid !== undefined)
      return undefined;
    return `${request.kind} ${request.namespace ?? ''}/${request.name ?? ''} was deleted without a UID precondition`;
  },
};

/** No finalizer is added to an object that is being deleted; the API server refuses that forever (I25). */
const noFinalizerWhileDeleting: Invariant = {
  name: 'no finalizer is added to an object that is being deleted (I25)',
  afterRequest: (_, { status, message, kind, namespace, name }) => {
    if (status !== 422 || message?.includes('no new finalizers can be added') !== true) return undefined;
    return `${kind} ${namespace ?? ''}/${name ?? ''}: ${message}`;
  },
};

/** Claims of a resource are never owned by it: a cascade must not take the data along (S0.12). */
export function claimsAreNotOwnedBy(kind: string): Invariant {
  return {
    name: `claims are never owned by a ${kind} (S0.12)`,
    afterChange: (_, change) => {
      if (change.kind !== 'persistentvolumeclaims' || change.type === 'DELETED') return undefined;
      const owner = change.object.metadata.ownerReferences?.find((reference) => reference.kind === kind);
      return owner && `claim ${change.object.metadata.name} has an owner reference to ${kind} ${owner.name}`;
    },
  };
}

/** The invariants that hold for any operator. */
export const generalInvariants: readonly Invariant[] = [deletesNameTheirObject, noFinalizerWhileDeleting];
