import { withFindings } from '@ordinal/client';
import type { Condition, KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { patchStatus } from '@ordinal/runtime';
import type { ReconcileContext } from '@ordinal/runtime';

/** A resource of one of the operator's own kinds: each has conditions. */
export type WithConditions = KubernetesObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/** Why a resource is not ready. */
export interface NotReady {
  readonly reason: 'ObjectTooLarge' | 'ReservedNamespace';
  readonly message: string;
}

/** How often the event comes again for as long as it lasts, in milliseconds. */
const repeatedEveryMs = 30 * 60_000;

/** Reports in the condition `Ready`, and in an event about every half hour, why the operator does nothing for a resource. The status is written only where it differs. */
export async function reportNotReady(
  context: Pick<ReconcileContext, 'client' | 'clock' | 'events'>,
  { primary, object }: { readonly primary: ResourceDescriptor; readonly object: WithConditions },
  { reason, message }: NotReady,
): Promise<void> {
  const ready = { type: 'Ready', status: 'False', reason, message } as const;
  const at = { now: context.clock.now(), generation: object.metadata.generation };
  const conditions = withFindings(object.status?.conditions, [ready], at);
  await patchStatus<WithConditions, KubernetesObjectInput>(context, primary, object, { ...object.status, conditions });
  const event = { regarding: object, type: 'Warning', reason, note: message } as const;
  context.events.publish({ ...event, atMostEveryMs: repeatedEveryMs });
}
