import type { ResourceDescriptor } from '@ordinal/client';
import { RuntimeError } from '@ordinal/runtime';
import type { ControllerDefinition, Reconcile, ReconcileContext } from '@ordinal/runtime';
import { reportNotReady } from './not-ready.ts';
import type { WithConditions } from './not-ready.ts';

/** The largest spec that the webhook accepts, in characters of JSON. The operator's cache keeps 512 KiB of an object. */
export const maxSpecLength = 384 * 1024;

/** What is longer and not covered by a seal is taken out of a status, in characters of JSON: what the operator writes itself is a few KiB. */
const maxStatusLength = 64 * 1024;

/** Whose objects are reported, and how a status of the operator's is known. */
export interface OversizeOptions {
  readonly isOurs: (primary: ResourceDescriptor) => boolean;
  /** Whether the operator has sealed the status of an object as it stands. */
  readonly isSealed: (object: WithConditions, descriptor: ResourceDescriptor) => boolean;
}

/**
 * The same controllers, for resources of our own kinds: where a reconcile reads an object that is too large for the operator's cache, the condition `Ready` and an
 * event say so. A status of another client that makes its own object too large is taken out, and so found out from the cluster again. One that the operator has sealed
 * stays, but for long conditions, which no seal covers. The reconcile fails as before.
 */
export function reportingOversize(
  definitions: readonly ControllerDefinition[],
  { isOurs, isSealed }: OversizeOptions,
): readonly ControllerDefinition[] {
  return definitions.map((definition) => {
    const { primary } = definition;
    if (!isOurs(primary)) return definition;
    const reconcile: Reconcile = async (key, context) => {
      try {
        return await definition.reconcile(key, context);
      } catch (error) {
        if (error instanceof RuntimeError && error.code === 'ObjectTooLarge') {
          // Not from the cache, which may not have it.
          const resource = context.client(primary).in(key.namespace ?? '');
          const object: WithConditions | undefined = await resource.find(key.name, { signal: context.signal });
          if (object) await report(object, { context, primary, isSealed, message: error.message });
        }
        throw error;
      }
    };
    return { ...definition, reconcile };
  });
}

interface Report extends Pick<OversizeOptions, 'isSealed'> {
  readonly context: ReconcileContext;
  readonly primary: ResourceDescriptor;
  readonly message: string;
}

async function report(object: WithConditions, { context, primary, isSealed, message }: Report): Promise<void> {
  const { name, namespace = '', uid, resourceVersion } = object.metadata;
  const unsealed = isSealed(object, primary) ? object.status?.conditions : object.status;
  if (JSON.stringify(unsealed ?? {}).length > maxStatusLength) {
    const status = unsealed === object.status ? null : { conditions: null };
    const body = { metadata: { uid, resourceVersion }, status };
    await context.client(primary).in(namespace).status.patch(name, { type: 'merge', body });
    return;
  }
  await reportNotReady(context, { primary, object }, { reason: 'ObjectTooLarge', message });
}
