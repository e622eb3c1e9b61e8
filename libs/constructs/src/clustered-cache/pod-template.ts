import type { Container, LifecycleHandler, PodTemplateSpec, Probe } from 'kubernetes-types/core/v1.js';
import { childLabels, milliseconds, overlayPodTemplate, remembered, withTemplateHash } from '../workload/index.ts';
import type { CacheToBuild } from './children.ts';
import type { ClusteredCacheSpecInput } from '@ordinal/api';

/** The name of the container that runs the cache. */
export const cacheContainer = 'cache';

/** How long a member has to end after its hand-off, in seconds. */
const endingSeconds = 30;

const tcpReadiness: Probe = { tcpSocket: { port: 'cache' }, periodSeconds: 5 };

/**
 * The hand-off as a preStop hook, for the deletes that the operator does not make itself: a drain or a `kubectl delete pod` while the webhook is
 * down. Undefined where there is none, or it can't be said as a hook: hooks know no POST.
 */
function handoffHook(
  spec: ClusteredCacheSpecInput,
): { readonly container: string; readonly handler: LifecycleHandler } | undefined {
  const { exec, http } = spec.upgrade?.handoff ?? {};
  if (exec) return { container: exec.container ?? cacheContainer, handler: { exec: { command: [...exec.command] } } };
  if (!http || http.method === 'POST') return undefined;
  const port = http.port ?? spec.port;
  if (port === undefined) return undefined;
  return { container: cacheContainer, handler: { httpGet: { path: http.path, port, scheme: http.scheme ?? 'HTTP' } } };
}

function cache(spec: ClusteredCacheSpecInput): Container {
  const hook = handoffHook(spec);
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
  const hook = handoffHook(spec);
  const sidecar = hook && hook.container !== cacheContainer ? hook : undefined;
  const handoffSeconds = hook ? Math.ceil(milliseconds(spec.upgrade?.handoff?.timeout ?? '30s') / 1000) : 0;
  const generated: PodTemplateSpec = {
    metadata: { labels: childLabels({ application: 'clustered-cache', instance: name }) },
    spec: { containers: [cache(spec)], terminationGracePeriodSeconds: endingSeconds + handoffSeconds },
  };
  const overlaid = overlayPodTemplate(generated, spec.podTemplate);
  const hooked = sidecar
    ? overlayPodTemplate(overlaid, {
        spec: { containers: [{ name: sidecar.container, lifecycle: { preStop: sidecar.handler } }] },
      })
    : overlaid;
  return withTemplateHash(hooked);
});
