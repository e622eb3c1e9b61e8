import { redisCache } from './redis.ts';

/** What the recipe makes of a cache, as far as a set is made of it. */
interface Rendered {
  readonly kind: string;
  readonly spec: {
    readonly upgrade: { readonly handoff: { readonly exec: object; readonly timeout: string } };
    readonly podTemplate: { readonly spec: { readonly containers: readonly Container[] } };
  };
}

interface Container {
  readonly env: readonly object[];
  readonly readinessProbe: object;
}

/**
 * A MonitoredStatefulSet of three members of Redis, its Service and its scripts: what the recipe for a ClusteredCache renders, with what that kind adds to a pod
 * written out. The hand-off is a preStop hook here as well, for members that a drain or a user deletes.
 */
export function redisSet(
  namespace: string,
  name: string,
  { image, upgrade }: { readonly image: string; readonly upgrade: object },
): readonly object[] {
  const [scripts, rendered] = redisCache(namespace, name, { image });
  const recipe = (rendered as Rendered).spec; // Of the ClusteredCache.
  const [container] = recipe.podTemplate.spec.containers;
  if (!scripts || !container) throw new Error('the recipe renders a ConfigMap and a ClusteredCache with one container');
  const labels = { app: name };
  const member = {
    ...container,
    name: 'redis',
    image,
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, ...container.env],
    ports: [{ name: 'redis', containerPort: 6379 }],
    readinessProbe: { tcpSocket: { port: 'redis' }, ...container.readinessProbe },
    lifecycle: { preStop: { exec: recipe.upgrade.handoff.exec } },
  };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels },
  };
  const set = {
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: { name, namespace },
    spec: {
      monitorEndpoint: `http://monitor.${namespace}.svc:8080`,
      // The monitor goes with the namespace, and so do its entries.
      deletionPolicy: 'Retain',
      upgrade: { ...recipe.upgrade, ...upgrade },
      statefulSetSpec: {
        serviceName: name,
        replicas: 3,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { ...recipe.podTemplate.spec, terminationGracePeriodSeconds: 45, containers: [member] },
        },
      },
    },
  };
  return [scripts, service, set];
}
