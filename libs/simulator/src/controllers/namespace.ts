import type { ConfigMap, Namespace, NamespaceCondition, ServiceAccount } from 'kubernetes-types/core/v1.js';
import { isApiError, timestamp } from '@ordinal/client';
import type { KubernetesObject } from '@ordinal/client';
import type { Work } from '../scheduler/work.ts';
import type { ControllerContext, ControllerDefinition } from './controller.ts';
import { deleteObject, itself } from './controller.ts';
import { kinds } from './kinds.ts';
import type { Live } from './kinds.ts';
import { isTerminating } from './owner.ts';

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
    const remaining = yield* removeContent(name, context);
    const current = context.store.find<Namespace>(kinds.namespace, '', name);
    // While a webhook was asked, another namespace may have taken this one's name.
    if (current?.metadata.uid !== namespace.metadata.uid) return undefined;
    if (remaining.length > 0) {
      report(current, remaining, context);
      return lookAgainMs;
    }
    context.store.finalizeNamespace(current);
    return undefined;
  },
};

/** Gives each namespace the service account and the certificate that pods expect there. */
export const namespaceContentController: ControllerDefinition = {
  name: 'service-account-controller',
  watches: [
    { kind: kinds.namespace, keys: itself },
    { kind: kinds.serviceAccount, keys: ({ object }) => [{ namespace: '', name: object.metadata.namespace ?? '' }] },
    {
      kind: kinds.configMap,
      keys: ({ object }) =>
        object.metadata.name === rootCertificates ? [{ namespace: '', name: object.metadata.namespace ?? '' }] : [],
    },
  ],
  reconcile: ({ name }, { store }) => {
    const namespace = store.find<Namespace>(kinds.namespace, '', name);
    if (namespace === undefined || isTerminating(namespace)) return undefined;
    if (store.find<ServiceAccount>(kinds.serviceAccount, name, 'default') === undefined) {
      store.create<ServiceAccount>(kinds.serviceAccount, { metadata: { name: 'default', namespace: name } });
    }
    if (store.find<ConfigMap>(kinds.configMap, name, rootCertificates) === undefined) {
      store.create<ConfigMap>(kinds.configMap, {
        metadata: { name: rootCertificates, namespace: name },
        data: { 'ca.crt': 'simulated' },
      });
    }
    return undefined;
  },
};

const rootCertificates = 'kube-root-ca.crt';

/** Asks for the deletion of everything in the namespace. Pods come last but one, so that what makes them is gone first. */
function* removeContent(namespace: string, context: ControllerContext): Work<readonly KubernetesObject[]> {
  const { store } = context;
  const remaining: KubernetesObject[] = [];
  for (const kind of store.allKinds()) {
    if (!kind.namespaced || kind.kind === 'Event') continue;
    for (const object of store.list(kind, namespace)) {
      if (!isTerminating(object)) {
        try {
          yield* deleteObject(context.store, [kind, object], {
            uid: object.metadata.uid,
            propagationPolicy: 'Background',
          });
        } catch (error) {
          if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
        }
      }
      const left = store.find(kind, namespace, object.metadata.name);
      if (left !== undefined) remaining.push(left);
    }
  }
  if (remaining.length > 0) return remaining;
  for (const event of store.list(kinds.event, namespace)) store.delete(kinds.event, event);
  return [];
}

function report(
  namespace: Live<Namespace>,
  remaining: readonly KubernetesObject[],
  { store, clock }: ControllerContext,
): void {
  const now = timestamp(clock.now());
  const old = namespace.status?.conditions ?? [];
  const condition = (type: string, reason: string, message: string, isTrue: boolean): NamespaceCondition => {
    const before = old.find((entry) => entry.type === type);
    const status = isTrue ? 'True' : 'False';
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
    return { type, status, reason, message, lastTransitionTime };
  };
  const finalizers = count(remaining.flatMap(({ metadata }) => metadata.finalizers ?? []));
  const kindsLeft = count(
    remaining.map(({ kind, apiVersion }) =>
      `${kind.toLowerCase()}s.${apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''}`.replace(/\.$/, '.'),
    ),
  );
  const conditions = [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      'ResourcesDiscovered',
      'All resources successfully discovered',
      false,
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
      false,
    ),
    condition(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
      false,
    ),
    condition(
      'NamespaceContentRemaining',
      'SomeResourcesRemain',
      `Some resources are remaining: ${kindsLeft.map(([kind, n]) => `${kind} has ${n} resource instances`).join(', ')}`,
      true,
    ),
    finalizers.length === 0
      ? condition(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
          false,
        )
      : condition(
          'NamespaceFinalizersRemaining',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${finalizers.map(([name, n]) => `${name} in ${n} resource instances`).join(', ')}`,
          true,
        ),
  ];
  if (JSON.stringify(conditions) === JSON.stringify(old)) return;
  store.updateStatus<Namespace>(kinds.namespace, { ...namespace, status: { ...namespace.status, conditions } });
}

function count(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
}
