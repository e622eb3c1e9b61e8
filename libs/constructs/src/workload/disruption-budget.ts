import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { ChildMetadata } from './owner.ts';
import { childMetadata } from './owner.ts';

/**
 * A budget for voluntary disruptions. Pods that are not ready may always be evicted: they serve no client, and keeping them would block a drain forever.
 */
export function disruptionBudget(
  metadata: ChildMetadata,
  options: { readonly selector: Record<string, string>; readonly maxUnavailable: number | string },
): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: childMetadata(metadata),
    spec: {
      maxUnavailable: options.maxUnavailable,
      selector: { matchLabels: options.selector },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  };
}
