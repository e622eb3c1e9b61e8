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
