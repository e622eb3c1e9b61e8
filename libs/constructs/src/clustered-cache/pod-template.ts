import type { Container, PodTemplateSpec, Probe } from 'kubernetes-types/core/v1.js';
import type { HandoffHook } from '../workload/index.ts';
import { handoffHook, overlayPodTemplate, remembered, withSidecarHook, withTemplateHash } from '../workload/index.ts';
import type { CacheToBuild } from './children.ts';
import { cachePodLabels, cachePort } from './children.ts';
import type { ClusteredCacheSpecInput } from '@ordinal/api';

type Adopting = Pick<ClusteredCacheSpecInput, 'adopt'>;

/** The name of the container that runs the cache. */
export const cacheContainer = ({ adopt }: Adopting): string => adopt?.container ?? 'cache';

/** The name of the claim template. */
export const cacheClaim = ({ adopt }: Adopting): string => adopt?.claim ?? 'data';

/** How long a member has to end after its hand-off, in seconds. */
const endingSeconds = 30;

const tcpReadiness = (spec: ClusteredCacheSpecInput): Probe => ({
  tcpSocket: { port: cachePort(spec) },
  periodSeconds: 5,
});

const hookOf = (spec: ClusteredCacheSpecInput): HandoffHook | undefined =>
  handoffHook(spec.upgrade?.handoff, { container: cacheContainer(spec), port: spec.port });

function cache(spec: ClusteredCacheSpecInput): Container {
  const hook = hookOf(spec);
  return {
    name: cacheContainer(spec),
    image: spec.image,
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    ...(spec.port === undefined
      ? {}
      : { ports: [{ name: 'cache', containerPort: spec.port, protocol: 'TCP' }], readinessProbe: tcpReadiness(spec) }),
    ...(spec.storage
      ? { volumeMounts: [{ name: cacheClaim(spec), mountPath: spec.storage.mountPath ?? '/data' }] }
      : {}),
    ...(hook?.container === cacheContainer(spec) ? { lifecycle: { preStop: hook.handler } } : {}),
  };
}

/**
 * The members' pod: the cache's container with the generated parts, the user's overlay over it, and the template's hash. With a hand-off, the grace
 * period is long enough for it and for the ending after it. Remembered, since each look at a cache compares several things with it; it is frozen.
 */
export const cachePodTemplate = remembered((toBuild: CacheToBuild): PodTemplateSpec => {
  const { spec } = toBuild;
  const hook = hookOf(spec);
  const generated: PodTemplateSpec = {
    metadata: { labels: cachePodLabels(toBuild) },
    spec: { containers: [cache(spec)], terminationGracePeriodSeconds: endingSeconds + (hook?.seconds ?? 0) },
  };
  return withTemplateHash(withSidecarHook(overlayPodTemplate(generated, spec.podTemplate), hook, cacheContainer(spec)));
});
