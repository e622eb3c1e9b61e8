import type { ResourceDescriptor } from '@ordinal/client';
import { kinds } from '@ordinal/reconcilers';
import { awaitChange } from '@ordinal/runtime';
import type { ControllerDefinition, Reconcile } from '@ordinal/runtime';
import { reportNotReady } from './not-ready.ts';
import type { WithConditions } from './not-ready.ts';

/** What is said of a resource in a namespace in which the operator keeps none. */
export function keptOutOf(namespace: string): string {
  return `the operator keeps no resources in namespace ${namespace}: its administrator names the namespace in watchNamespaces where it should`;
}

/**
 * The same controllers, which do nothing in reserved namespaces: their account may not write there, so that they would fail forever. A resource of our kinds says so
 * in its condition `Ready` and in an event.
 */
export function keepingOut(
  reserved: readonly string[],
  definitions: readonly ControllerDefinition[],
): readonly ControllerDefinition[] {
  return definitions.map((definition) => {
    const declines = isOurs(definition.primary) ? declining(definition.primary) : () => Promise.resolve(awaitChange());
    const reconcile: Reconcile = (key, context) =>
      reserved.includes(key.namespace ?? '') ? declines(key, context) : definition.reconcile(key, context);
    return { ...definition, reconcile };
  });
}

/** Whether a resource is of one of the operator's own kinds. */
export const isOurs = ({ group, plural }: ResourceDescriptor): boolean =>
  kinds.some(({ descriptor }) => descriptor.group === group && descriptor.plural === plural);

/** Looked at again when it changes: a namespace stays reserved as long as the operator runs. */
function declining(primary: ResourceDescriptor): Reconcile {
  return async (key, context) => {
    const object: WithConditions | undefined = context.cache.get(primary, key);
    if (object === undefined) return awaitChange();
    const message = keptOutOf(key.namespace ?? '');
    await reportNotReady(context, { primary, object }, { reason: 'ReservedNamespace', message });
    return awaitChange();
  };
}
