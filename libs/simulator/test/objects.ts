import type { Client, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import type { ImageProgram, SimulatedCluster } from '../src/index.ts';

/** A StatefulSet of pods with one container; `spec` is merged over it. */
export function statefulSet(name: string, spec: Record<string, unknown> = {}, image = 'app:1') {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: 3,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: template(name, image),
      ...spec,
    },
  } as const;
}

/** A pod template with one container. */
export function template(name: string, image = 'app:1', spec: Record<string, unknown> = {}) {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }], ...spec } };
}

/** Another object; `type` is its API version and kind: `v1 ConfigMap`. */
export function object(
  type: string,
  name: string,
  rest: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
) {
  const [apiVersion, kind] = type.split(' ');
  return { apiVersion, kind, metadata: { name, namespace: 'default', ...metadata }, ...rest };
}

/** Creates an object of a built-in kind; tests write them loosely. */
export function create(cluster: SimulatedCluster, descriptor: ResourceDescriptor, body: unknown): Promise<unknown> {
  return cluster
    .client()(descriptor)
    .in('default')
    .create(body as KubernetesObjectInput);
}

/** Merges a patch into an object. */
export function merge(
  cluster: SimulatedCluster,
  descriptor: ResourceDescriptor,
  name: string,
  body: unknown,
): Promise<unknown> {
  return cluster.client()(descriptor).in('default').patch(name, { type: 'merge', body });
}

/** An image that is ready half a second after it starts. */
export const quick: ImageProgram = { startsIn: 500 };

/** The names of what has been created or deleted, in order, from the trace: `create web-0`, `delete web-0`. */
export function comingsAndGoings(cluster: SimulatedCluster, kind: string, actor: string): readonly string[] {
  return cluster.trace.entries
    .filter((entry) => entry.actor === actor && entry.subject.startsWith(`${kind} `) && entry.outcome === undefined)
    .filter(({ action }) => action === 'create' || action === 'delete')
    .map(({ action, subject }) => `${action} ${subject.slice(subject.indexOf('/') + 1)}`);
}

/** A client in virtual time. */
export function clientOf(cluster: SimulatedCluster): Client {
  return createClient({ transport: cluster.transport(), clock: cluster.clock, random: cluster.random });
}
