import type { Namespace } from 'kubernetes-types/core/v1.js';
import { isApiError } from '@ordinal/client';
import type { ApiError, KubernetesObject } from '@ordinal/client';
import type { Work } from '../scheduler/work.ts';
import type { ControllerDefinition } from './controller.ts';
import { deleteObject, itself } from './controller.ts';
import { kinds } from './kinds.ts';
import type { Kind } from './kinds.ts';
import type { Leftovers } from './namespace-status.ts';
import { reportLeftovers } from './namespace-status.ts';
import { isTerminating } from './owner.ts';
import type { Store } from './store.ts';

/** While finalizers hold a namespace's content, the real controller looks again at growing intervals; here it looks once a second. */
const lookAgainMs = 1000;

/** Empties namespaces that are being deleted, and lets them go when nothing is left. */
export const namespaceController: ControllerDefinition = {
  name: 'namespace-controller',
  watches: [{ kind: kinds.namespace, keys: itself }],
  *reconcile({ name }, context) {
    const namespace = context.store.find<Namespace>(kinds.namespace, '', name);
    if (namespace === undefined || !isTerminating(namespace)) return undefined;
    if (namespace.status?.phase !== 'Terminating') {
      context.store.updateStatus<Namespace>(kinds.namespace, {
        ...namespace,
        status: { ...namespace.status, phase: 'Terminating' },
      });
    }
    const leftovers = yield* removeContent(name, context.store);
    const current = context.store.find<Namespace>(kinds.namespace, '', name);
    // While a webhook was asked, another namespace may have taken this one's name.
    if (current?.metadata.uid !== namespace.metadata.uid) return undefined;
    if (leftovers.remaining.length > 0) {
      reportLeftovers(current, leftovers, context);
      const [refused] = leftovers.failures;
      if (refused !== undefined) throw refused;
      return lookAgainMs;
    }
    context.store.finalizeNamespace(current);
    return undefined;
  },
};

/**
 * Asks for the deletion of everything in the namespace: pods first, and the rest when none of them is left. What the server refuses of one kind holds up
 * no other one.
 */
function* removeContent(namespace: string, store: Store): Work<Leftovers> {
  const pods = yield* removeAll([kinds.pod], namespace, store);
  if (pods.remaining.length > 0) return { ...pods, awaitsPods: true };
  const others = store.allKinds().filter(({ namespaced, kind }) => namespaced && kind !== 'Event' && kind !== 'Pod');
  const rest = yield* removeAll(others, namespace, store);
  if (rest.remaining.length === 0)
    for (const event of store.list(kinds.event, namespace)) store.delete(kinds.event, event);
  return { ...rest, awaitsPods: false };
}

/** Deletes all objects of some kinds, and shows what is left of them. */
function* removeAll(
  all: readonly Kind<unknown>[],
  namespace: string,
  store: Store,
): Work<Omit<Leftovers, 'awaitsPods'>> {
  const remaining: { readonly kind: Kind<unknown>; readonly object: KubernetesObject }[] = [];
  const failures: ApiError[] = [];
  for (const kind of all) {
    let isRefused = false;
    for (const object of store.list(kind, namespace)) {
      if (!isTerminating(object) && !isRefused) {
        try {
          const { uid } = object.metadata;
          yield* deleteObject(store, [kind, object], { uid, propagationPolicy: 'Background' });
        } catch (error) {
          if (!isApiError(error)) throw error;
          if (!isApiError(error, 'NotFound', 'Conflict')) {
            isRefused = true;
            failures.push(error);
          }
        }
      }
      const left = store.find(kind, namespace, object.metadata.name);
      if (left !== undefined) remaining.push({ kind, object: left });
    }
  }
  return { remaining, failures };
}
