import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.js';
import { goJson } from '../hash.ts';
import type { Live } from '../kinds.ts';

/** A Deployment from the store. */
export type LiveDeployment = Live<Deployment>;

/** A ReplicaSet from the store. */
export type LiveReplicaSet = Live<ReplicaSet>;

/** The label by which a ReplicaSet's pods and the set itself are named after their template. */
export const hashLabel = 'pod-template-hash';

/** Whether the set was made of the Deployment's present template. */
export function isCurrent(deployment: LiveDeployment, set: LiveReplicaSet): boolean {
  const labels: Record<string, string> = { ...set.spec?.template?.metadata?.labels };
  Reflect.deleteProperty(labels, hashLabel);
  const template = { ...set.spec?.template, metadata: { ...set.spec?.template?.metadata, labels } };
  return (
    goJson(template) ===
    goJson({
      ...deployment.spec?.template,
      metadata: { ...deployment.spec?.template.metadata, labels: deployment.spec?.template.metadata?.labels ?? {} },
    })
  );
}

/** How many pods a Deployment wants. */
export const desiredReplicas = ({ spec }: LiveDeployment): number => spec?.replicas ?? 1;

/** How many pods there may be above those that are wanted. */
export function maxSurge(deployment: LiveDeployment): number {
  const { strategy } = deployment.spec ?? {};
  if (strategy?.type === 'Recreate') return 0;
  return scaled(strategy?.rollingUpdate?.maxSurge ?? '25%', desiredReplicas(deployment), Math.ceil);
}

/** A number, or a share of a whole. */
export const scaled = (value: number | string, total: number, round: (value: number) => number): number =>
  typeof value === 'number' ? value : round((Number(value.replace('%', '')) * total) / 100);
