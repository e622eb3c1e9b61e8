import type { Container, PodTemplateSpec, Probe } from 'kubernetes-types/core/v1.js';
import type { HandoffHook } from '../workload/index.ts';
import {
  childLabels,
  handoffHook,
  overlayPodTemplate,
  remembered,
  withSidecarHook,
  withTemplateHash,
} from '../workload/index.ts';
import type { CacheToBuild } from './children.ts';
import type { ClusteredCacheSpecInput } from '@ordinal/api';

/** The name of the container that runs the cache. */
export const cacheContainer = 'cache';

/** How long a member has to end after its hand-off, in seconds. */
const endingSeconds = 30;

const tcpReadiness: Probe = { tcpSocket: { port: 'cache' }, periodSeconds: 5 };

const hookOf = ({ upgrade, port }: ClusteredCacheSpecInput): HandoffHook | undefined =>
  handoffHook(upgrade?.handoff, { container: cacheContainer, port });

function cache(spec: ClusteredCacheSpecInput): Container {
  const hook = hookOf(spec);
  return {
    name: cacheContainer,
    image: spec.image,
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    ...(spec.port === undefined
      ? {}
      : { ports: [{ name: 'cache', containerPort: spec.port, protocol: 'TCP' }], readinessProbe: tcpReadiness }),
    ...(spec.storage ? { volumeMounts: [{ name: 'data', mountPath: spec.storage.mountPath ?? '/data' }] } : {}),
    ...(hook?.container === cacheContainer ? { lifecycle: { preStop: hook.handler } } : {}),
  };
}

/**
 * The members' pod: the cache's container with the generated parts, the user's overlay over it, and the template's hash. With a hand-off, the grace
 * period is long enough for it and for the ending after it. Remembered, since each look at a cache compares several things with it; it is frozen.
 */
export const cachePodTemplate = remembered(({ name, spec }: CacheToBuild): PodTemplateSpec => {
  const hook = hookOf(spec);
  const generated: PodTemplateSpec = {
    metadata: { labels: childLabels({ application: 'clustered-cache', instance: name }) },
    spec: { containers: [cache(spec)], terminationGracePeriodSeconds: endingSeconds + (hook?.seconds ?? 0) },
  };
  return withTemplateHash(withSidecarHook(overlayPodTemplate(generated, spec.podTemplate), hook, cacheContainer));
});
