import type { ApiError, KubernetesObject } from '@ordinal/client';
import { timestamp } from '@ordinal/client';
import type { Namespace, NamespaceCondition } from 'kubernetes-types/core/v1.js';
import type { ControllerContext } from './controller.ts';
import { kinds } from './kinds.ts';
import type { Kind, Live } from './kinds.ts';

/** What a look at a namespace that is being deleted has left. */
export interface Leftovers {
  readonly remaining: readonly { readonly kind: Kind<unknown>; readonly object: KubernetesObject }[];
  /** What the server refused to delete, one for each kind. */
  readonly failures: readonly ApiError[];
  /** Whether nothing but pods was looked at, because some are left. */
  readonly awaitsPods: boolean;
}

/** A condition that holds, as its reason and message; undefined where it does not. */
type Finding = readonly [reason: string, message: string] | undefined;

/** What a condition says that does not hold. */
const absent = {
  NamespaceDeletionDiscoveryFailure: ['ResourcesDiscovered', 'All resources successfully discovered'],
  NamespaceDeletionGroupVersionParsingFailure: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  NamespaceDeletionContentFailure: [
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  NamespaceContentRemaining: ['ContentRemoved', 'All content successfully removed'],
  NamespaceFinalizersRemaining: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
} as const;

/** Writes into a namespace's status why it is not gone. While pods are left, the real controller does not say what remains. */
export function reportLeftovers(
  namespace: Live<Namespace>,
  leftovers: Leftovers,
  { store, clock }: ControllerContext,
): void {
  const findings: Readonly<Record<string, Finding>> = {
    NamespaceDeletionContentFailure: refused(leftovers),
    ...(!leftovers.awaitsPods && {
      NamespaceContentRemaining: contentOf(leftovers),
      NamespaceFinalizersRemaining: finalizersOf(leftovers),
    }),
  };
  const now = timestamp(clock.now());
  const old = namespace.status?.conditions ?? [];
  const conditions = Object.entries(absent).map(([type, none]): NamespaceCondition => {
    const before = old.find((entry) => entry.type === type);
    const finding = findings[type];
    const status = finding === undefined ? 'False' : 'True';
    const [reason, message] = finding ?? none;
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
    return { type, status, reason, message, lastTransitionTime };
  });
  if (JSON.stringify(conditions) === JSON.stringify(old)) return;
  store.updateStatus<Namespace>(kinds.namespace, { ...namespace, status: { ...namespace.status, conditions } });
}

function refused({ failures, awaitsPods }: Leftovers): Finding {
  if (failures.length === 0) return undefined;
  const messages = failures
    .map(({ status: { message = '' } }) => (awaitsPods ? `failed to delete pods: ${message}` : message))
    .sort();
  const text = `Failed to delete all resource types, ${messages.length} remaining: ${messages.join(', ')}`;
  return ['ContentDeletionFailed', text];
}

function contentOf({ remaining }: Leftovers): Finding {
  const left = count(remaining.map(({ kind: { plural, apiVersion } }) => `${plural}.${groupOf(apiVersion)}`));
  const texts = left.map(([kind, number]) => `${kind} has ${number} resource instances`);
  return texts.length === 0 ? undefined : ['SomeResourcesRemain', `Some resources are remaining: ${texts.join(', ')}`];
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

function finalizersOf({ remaining }: Leftovers): Finding {
  const left = count(remaining.flatMap(({ object }) => object.metadata.finalizers ?? []));
  const texts = left.map(([name, number]) => `${name} in ${number} resource instances`);
  return texts.length === 0
    ? undefined
    : ['SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${texts.join(', ')}`];
}

function count(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
}
