import type { LiveDeployment, LiveReplicaSet } from './live-deployment.ts';

/** The annotation with a ReplicaSet's place among those of its Deployment. */
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
/** How long the text of former revisions may become. */
const historyLimit = 2000;

/** Annotations that a Deployment does not hand on. */
const ownAnnotations = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
]);

/** Revisions have 64 bits. What is no number counts as 0. */
export function revisionOf(set: LiveReplicaSet): bigint {
  const text = set.metadata.annotations?.[revisionAnnotation] ?? '';
  return /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : 0n;
}

/** The revision that comes after those of these ReplicaSets. */
export const nextRevision = (sets: readonly LiveReplicaSet[]): bigint =>
  sets.map(revisionOf).reduce((max, each) => (each > max ? each : max), 0n) + 1n;

/** The annotations that a ReplicaSet gets of its Deployment. */
export const handedOn = ({ metadata }: LiveDeployment): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !ownAnnotations.has(name)));

/** The annotations of the present ReplicaSet: those of its Deployment, and a higher revision where it is rolled back to, with those that it had. */
export function annotationsOf(
  deployment: LiveDeployment,
  set: LiveReplicaSet,
  revision: bigint,
): Readonly<Record<string, string>> {
  const before = set.metadata.annotations ?? {};
  const merged = { ...before, ...handedOn(deployment) };
  if (revisionOf(set) >= revision) return merged;
  const former = before[revisionAnnotation];
  return {
    ...merged,
    [revisionAnnotation]: String(revision),
    ...(former !== undefined && { [historyAnnotation]: withFormer(before[historyAnnotation] ?? '', former) }),
  };
}

function withFormer(history: string, former: string): string {
  if (history === '') return former;
  const all = [...history.split(','), former];
  while (all.length > 1 && all.join(',').length > historyLimit) all.shift();
  return all.join(',').length > historyLimit ? history : all.join(',');
}
