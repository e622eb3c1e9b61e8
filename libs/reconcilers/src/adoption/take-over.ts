import type { Instant, KubernetesObject, StatefulSet } from '@ordinal/client';
import { apiVersionOf, controllerReference, statefulSets, takenOver } from '@ordinal/client';
import { managedBy } from '@ordinal/constructs';
import type { Action, Announcement } from '@ordinal/lifecycle';
import { seenOf } from '@ordinal/lifecycle';

/** What the condition `Adopted` says of a StatefulSet that was taken over. */
export const taken = ({ metadata }: StatefulSet) =>
  ({ reason: 'TakenOver', message: `StatefulSet ${metadata.name} was taken over with its pods` }) as const;

/** The event of it. */
export const takenEvent = (set: StatefulSet): Announcement => ({
  type: 'Normal',
  reason: 'TakenOver',
  note: taken(set).message,
});

/**
 * The one write that takes over a StatefulSet: it makes the resource its controller, and gives the operator the fields that others have set, so that its next apply removes what it does not
 * name. `set` has to be as the API server has it: its managed fields are in no cache. `spec`: what of it changes beside.
 */
export function takeOver(
  object: KubernetesObject,
  set: StatefulSet,
  { now, spec }: { readonly now: Instant; readonly spec?: Readonly<Record<string, unknown>> },
): Action {
  const { managedFields = [], ownerReferences = [] } = set.metadata;
  const ownership = { manager: managedBy, apiVersion: apiVersionOf(statefulSets), now };
  return {
    kind: 'patch',
    descriptor: statefulSets,
    target: seenOf(set),
    fields: {
      metadata: {
        ownerReferences: [...ownerReferences, controllerReference(object)],
        managedFields: takenOver(managedFields, ownership),
      },
      ...(spec && { spec }),
    },
    because: 'a user has consented that it is taken over',
  };
}
