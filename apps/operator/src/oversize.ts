import type { Condition, KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { patchStatus, RuntimeError, withCondition } from '@ordinal/runtime';
import type { ControllerDefinition, Reconcile, ReconcileContext } from '@ordinal/runtime';

/** The largest spec that the webhook accepts, in characters of JSON. The operator's cache keeps 512 KiB of an object. */
export const maxSpecLength = 384 * 1024;

/** The largest status that may be one of the operator's, in characters of JSON: its own are a few KiB. */
const maxStatusLength = 64 * 1024;

const repeatedEveryMs = 30 * 60_000;

type Reported = KubernetesObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/**
 * The same controllers, for resources of our own kinds: where a reconcile reads an object that is too large for the operator's cache, the condition `Ready` and an
 * event say so. A status that makes its own object too large is taken out, and so found out from the cluster again. The reconcile fails as before.
 */
export function reportingOversize(
  definitions: readonly ControllerDefinition[],
  isOurs: (primary: ResourceDescriptor) => boolean,
): readonly ControllerDefinition[] {
  return definitions.map((definition) => {
    if (!isOurs(definition.primary)) return definition;
    const reconcile: Reconcile = async (key, context) => {
      try {
        return await definition.reconcile(key, context);
      } catch (error) {
        if (error instanceof RuntimeError && error.code === 'ObjectTooLarge')
          await report(definition.primary, key, { context, message: error.message });
        throw error;
      }
    };
    return { ...definition, reconcile };
  });
}

async function report(
  primary: ResourceDescriptor,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
  { context, message }: { readonly context: ReconcileContext; readonly message: string },
): Promise<void> {
  const { client, clock, events, signal } = context;
  const resource = client(primary).in(namespace);
  // Not from the cache, which may not have it.
  const object = (await resource.find(name, { signal })) as Reported | undefined; // Every kind of ours has conditions.
  if (object === undefined) return;
  const { uid, resourceVersion } = object.metadata;
  if (JSON.stringify(object.status ?? {}).length > maxStatusLength) {
    await resource.status.patch(name, { type: 'merge', body: { metadata: { uid, resourceVersion }, status: null } });
    return;
  }
  const ready = { type: 'Ready', status: 'False', reason: 'ObjectTooLarge', message } as const;
  const conditions = withCondition(object.status?.conditions, ready, clock.now());
  await patchStatus<Reported, KubernetesObjectInput>(context, primary, object, { ...object.status, conditions });
  const note = message;
  events.publish({
    regarding: object,
    type: 'Warning',
    reason: 'ObjectTooLarge',
    note,
    atMostEveryMs: repeatedEveryMs,
  });
}
