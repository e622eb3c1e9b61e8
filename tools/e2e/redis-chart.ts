import { redisCache, redisImages } from './redis.ts';

/** The labels by which the chart selects its pods. */
export const chartLabels = { 'app.kubernetes.io/name': 'redis', 'app.kubernetes.io/instance': 'shop-redis' } as const;

/** The container that runs Redis. */
export const chartContainer = 'redis';

/** The name of the Service that governs the members. */
export const chartService = (name: string): string => `${name}-headless`;

/** What the recipe makes, as far as the chart has it too. */
interface Rendered {
  readonly metadata: object;
  readonly data?: object;
  readonly spec?: { readonly upgrade: { readonly order?: string } };
}

function recipe(
  namespace: string,
  name: string,
): { readonly scripts: Rendered; readonly upgrade: { readonly order?: string } } {
  const [scripts, cache] = redisCache(namespace, name, { image: redisImages.before }) as readonly Rendered[];
  if (!scripts || !cache?.spec) throw new Error('the recipe renders a ConfigMap and a ClusteredCache');
  return { scripts, upgrade: cache.spec.upgrade };
}

/** The gates and the hand-over that the chart's members understand: a user adds them once the operator has taken over. Members of a KVStoreCluster go from the highest ordinal down. */
export function chartUpgrade(namespace: string, name: string, { kind }: { readonly kind: string }): object {
  const { order, ...upgrade } = recipe(namespace, name).upgrade;
  return kind === 'kvstorecluster' ? upgrade : { order, ...upgrade };
}

const helm = {
  labels: { ...chartLabels, 'app.kubernetes.io/managed-by': 'Helm', 'helm.sh/chart': 'redis-1.0.0' },
  annotations: { 'meta.helm.sh/release-name': 'shop-redis', 'meta.helm.sh/release-namespace': 'shop' },
};

const fromPod = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });

const redis = (name: string): object => ({
  name: chartContainer,
  image: redisImages.before,
  command: ['sh', '/recipe/start.sh'],
  env: [
    fromPod('POD_NAME', 'metadata.name'),
    fromPod('POD_IP', 'status.podIP'),
    { name: 'ORDINAL_SERVICE', value: chartService(name) },
    { name: 'STORE', value: 'redis' },
    { name: 'PORT', value: '6379' },
    { name: 'DATA', value: '/data' },
  ],
  ports: [{ name: 'redis', containerPort: 6379 }],
  readinessProbe: { tcpSocket: { port: 'redis' }, periodSeconds: 1 },
  resources: { requests: { cpu: '10m' } },
  volumeMounts: [
    { name: 'start-scripts', mountPath: '/recipe' },
    { name: 'redis-data', mountPath: '/data' },
  ],
});

const sidecar = {
  name: 'metrics',
  image: redisImages.before,
  command: ['sh', '-c', 'trap exit TERM; while :; do sleep 60 & wait $!; done'],
};

/** Makes the volume that of the user whom Redis runs as. */
const initContainer = {
  name: 'volume-permissions',
  image: redisImages.before,
  command: ['sh', '-c', 'chown -R 999:999 /data'],
  securityContext: { runAsUser: 0 },
  volumeMounts: [{ name: 'redis-data', mountPath: '/data' }],
};

/**
 * Three members of Redis 7.0 with append-only files as a Helm chart writes them: pods that come up one after the other and that Kubernetes replaces by itself, an init container, a
 * sidecar, and names, labels and Services that are not the operator's. Of their scripts, those of the recipe.
 */
export function redisChart(namespace: string, name: string): readonly object[] {
  const { scripts } = recipe(namespace, name);
  const ports = [{ name: 'redis', port: 6379, targetPort: 'redis' }];
  const metadata = { namespace, ...helm };
  const service = (as: string, spec: object): object => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, name: as },
    spec: { selector: chartLabels, ports, ...spec },
  });
  const template = {
    metadata: { labels: { ...chartLabels, 'helm.sh/chart': 'redis-1.0.0' }, annotations: { 'checksum/scripts': '1' } },
    spec: {
      securityContext: { fsGroup: 999 },
      terminationGracePeriodSeconds: 30,
      initContainers: [initContainer],
      containers: [{ ...redis(name), securityContext: { runAsUser: 999, runAsNonRoot: true } }, sidecar],
      volumes: [{ name: 'start-scripts', configMap: { name: `${name}-scripts`, defaultMode: 0o755 } }],
    },
  };
  const claim = {
    metadata: { name: 'redis-data', labels: chartLabels },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'standard', resources: { requests: { storage: '1Gi' } } },
  };
  return [
    { ...scripts, metadata: { ...metadata, name: `${name}-scripts` } },
    service(chartService(name), { clusterIP: 'None', publishNotReadyAddresses: true }),
    service(`${name}-replicas`, {}),
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { ...metadata, name },
      spec: {
        replicas: 3,
        serviceName: chartService(name),
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate' },
        selector: { matchLabels: chartLabels },
        template,
        volumeClaimTemplates: [claim],
      },
    },
  ];
}
