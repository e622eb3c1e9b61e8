import type { KubernetesObject, StatefulSet } from '@ordinal/client';
import { conditionOf } from '@ordinal/client';
import type { Condition } from '@ordinal/client';
import { adoptAnnotation } from '../annotations.ts';

/** A resource whose spec names a StatefulSet to take over, and that StatefulSet. */
export interface Adopting {
  readonly object: KubernetesObject;
  /** How commands name the resource's kind: `ccache`. */
  readonly resource: string;
  readonly set: StatefulSet;
  /** In what the StatefulSet differs from what the spec says of it, as the beginning of a sentence; undefined where in nothing. */
  readonly mismatch: string | undefined;
}

/** Why a StatefulSet is not taken over. */
export interface AdoptionObstacle {
  readonly reason: 'AwaitingConsent' | 'Mismatch' | 'ManagedElsewhere' | 'RollingOut' | 'NotFound';
  readonly message: string;
}

/** By which mark a tool says that it applies an object again and again, and what that tool is called. */
const appliers: Readonly<Record<string, string>> = {
  'argocd.argoproj.io/tracking-id': 'Argo CD',
  'argocd.argoproj.io/instance': 'Argo CD',
  'kustomize.toolkit.fluxcd.io/name': 'Flux (Kustomization)',
  'helm.toolkit.fluxcd.io/name': 'Flux (HelmRelease)',
};

const helmRelease = 'meta.helm.sh/release-name';

/** The annotations that are read of a StatefulSet that is to be taken over. */
export const readOfAdopted: readonly string[] = [helmRelease, ...Object.keys(appliers)];

/** Whether a resource has taken over its StatefulSet, by what its conditions say. */
export const wasTakenOver = (conditions: readonly Condition[] | undefined): boolean =>
  conditionOf(conditions, 'Adopted')?.status === 'True';

/** Whether a user has consented to this very StatefulSet. */
export const isConsentedTo = ({ object, set }: Pick<Adopting, 'object' | 'set'>): boolean =>
  object.metadata.annotations?.[adoptAnnotation] === set.metadata.uid;

/** What the condition says where the StatefulSet to take over does not exist. */
export const notFound = (name: string): AdoptionObstacle => ({
  reason: 'NotFound',
  message: `there is no StatefulSet ${name} to take over`,
});

/** Why a StatefulSet without a controller is not taken over; undefined where it may be: it is as the spec says, nothing else applies it, all its pods are of its template, and a user has consented. */
export function obstacleTo(adopting: Adopting): AdoptionObstacle | undefined {
  const { set, mismatch } = adopting;
  if (mismatch !== undefined) return { reason: 'Mismatch', message: `${mismatch}: the spec says something else` };
  const { name, labels, annotations } = set.metadata;
  const applier = Object.entries(appliers).find(([mark]) => labels?.[mark] ?? annotations?.[mark]);
  if (applier) {
    const [mark, tool] = applier;
    const message = `${tool} applies StatefulSet ${name} (${mark}) and would undo what the operator does: take it out of there, keeping the object, and remove the mark`;
    return { reason: 'ManagedElsewhere', message };
  }
  const rollout = rolloutOf(set);
  if (rollout !== undefined) return { reason: 'RollingOut', message: rollout };
  if (isConsentedTo(adopting)) return undefined;
  return { reason: 'AwaitingConsent', message: asking(adopting) };
}

/** Which pods are still to be made of the StatefulSet's template: they would count as what it makes now, or be replaced at the adoption. Undefined where there are none. */
function rolloutOf({
  metadata: { name, generation },
  spec: { replicas = 1 },
  status,
}: StatefulSet): string | undefined {
  const { observedGeneration, updatedReplicas = 0 } = status ?? {};
  if (observedGeneration === generation && updatedReplicas === replicas) return undefined;
  return `${updatedReplicas} of ${replicas} pods of StatefulSet ${name} are made of its template: let that come to its end first, or delete the others one by one`;
}

/** What would be done, what stays to be done by hand, and how a user consents. */
function asking({ object, resource, set }: Adopting): string {
  const { uid, name, annotations } = set.metadata;
  const { namespace = 'default', name: objectName } = object.metadata;
  const release = annotations?.[helmRelease];
  const keep = 'unless the chart has it with helm.sh/resource-policy: keep';
  return [
    `StatefulSet ${name} would be taken over with its ${set.spec.replicas ?? 1} pods and Service ${set.spec.serviceName ?? '(none)'}; nothing restarts.`,
    ...(release === undefined
      ? []
      : [`Helm release ${release} still has it: helm uninstall would delete it, ${keep}.`]),
    `To consent: kubectl annotate -n ${namespace} ${resource} ${objectName} ${adoptAnnotation}=${uid}`,
  ].join(' ');
}
