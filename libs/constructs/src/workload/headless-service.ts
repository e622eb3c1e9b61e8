import type { Service, ServicePort } from 'kubernetes-types/core/v1.js';
import type { ChildMetadata } from './owner.ts';
import { childMetadata } from './owner.ts';

/**
 * The governing service of a StatefulSet: it gives each member its DNS name. Members that are not ready have theirs too, so that they can find one
 * another while they start.
 */
export function headlessService(
  metadata: ChildMetadata,
  options: { readonly selector: Record<string, string>; readonly ports?: ServicePort[] },
): Service {
  const { selector, ports = [] } = options;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: childMetadata(metadata),
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector, ...(ports.length > 0 ? { ports } : {}) },
  };
}
