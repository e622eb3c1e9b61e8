import type { StatefulSetInput } from '@ordinal/client';

type Spec = NonNullable<StatefulSetInput['spec']>;
type Claim = NonNullable<Spec['volumeClaimTemplates']>[number];

/** StatefulSets in the shapes in which charts write them: the way they name, label, mount and start things is what counts, and every image is one of the simulation. */
export interface ChartShape {
  readonly name: string;
  readonly set: StatefulSetInput;
  /** Whether a ClusteredCache can take it over, and else what says why not. */
  readonly cache: 'yes' | string;
  /** The same of a KVStoreCluster. */
  readonly store: 'yes' | string;
}

const claim = (name: string, more: object = {}): Claim => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Gi' } }, ...more },
});

const helm = { 'app.kubernetes.io/managed-by': 'Helm' };

function setOf(name: string, selector: Record<string, string>, spec: Partial<Spec> & Pick<Spec, 'template'>) {
  const { template, ...rest } = spec;
  const labels = { ...selector, ...template.metadata?.labels };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, labels: { ...selector, ...helm }, annotations: { 'meta.helm.sh/release-name': name } },
    spec: {
      replicas: 3,
      serviceName: `${name}-headless`,
      selector: { matchLabels: selector },
      ...rest,
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  } satisfies StatefulSetInput;
}

const instance = (name: string) => ({ 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'shop' });

/** Ten of them. */
export const chartShapes: readonly ChartShape[] = [
  {
    name: 'a replicated cache with a sidecar for metrics, scripts from a ConfigMap and a checksum',
    cache: 'yes',
    store: 'yes',
    set: setOf('redis-node', instance('redis'), {
      template: {
        metadata: { labels: { 'helm.sh/chart': 'redis-1.0' }, annotations: { 'checksum/scripts': 'abc' } },
        spec: {
          serviceAccountName: 'default',
          securityContext: { fsGroup: 1001 },
          terminationGracePeriodSeconds: 30,
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 1,
                  podAffinityTerm: {
                    topologyKey: 'kubernetes.io/hostname',
                    labelSelector: { matchLabels: instance('redis') },
                  },
                },
              ],
            },
          },
          containers: [
            {
              name: 'redis',
              image: 'cache:1',
              command: ['/bin/sh'],
              args: ['-c', '/opt/start-scripts/start.sh'],
              env: [{ name: 'REPLICATION_MODE', value: 'replica' }],
              ports: [{ name: 'redis', containerPort: 6379 }],
              livenessProbe: { tcpSocket: { port: 'redis' }, initialDelaySeconds: 20 },
              readinessProbe: { httpGet: { path: '/', port: 'redis' } },
              volumeMounts: [
                { name: 'start-scripts', mountPath: '/opt/start-scripts' },
                { name: 'redis-data', mountPath: '/data' },
              ],
            },
            { name: 'metrics', image: 'cache:1', ports: [{ name: 'metrics', containerPort: 9121 }] },
          ],
          volumes: [{ name: 'start-scripts', configMap: { name: 'redis-scripts', defaultMode: 0o755 } }],
        },
      },
      volumeClaimTemplates: [claim('redis-data')],
    }),
  },
  {
    name: 'a cache without volumes, all pods at a time',
    cache: 'yes',
    store: 'a store has a volume',
    set: setOf('memcached', instance('memcached'), {
      podManagementPolicy: 'Parallel',
      template: {
        spec: { containers: [{ name: 'memcached', image: 'cache:1', ports: [{ containerPort: 11211 }] }] },
      },
    }),
  },
  {
    name: 'etcd: all pods at a time, the names of members in variables, the host name from the pod',
    cache: 'yes',
    store: 'yes',
    set: setOf('etcd', instance('etcd'), {
      podManagementPolicy: 'Parallel',
      template: {
        spec: {
          containers: [
            {
              name: 'etcd',
              image: 'cache:1',
              env: [
                { name: 'MY_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'ETCD_INITIAL_CLUSTER', value: 'etcd-0=http://etcd-0:2380' },
              ],
              ports: [
                { name: 'client', containerPort: 2379 },
                { name: 'peer', containerPort: 2380 },
              ],
              volumeMounts: [{ name: 'data', mountPath: '/bitnami/etcd' }],
            },
          ],
        },
      },
      volumeClaimTemplates: [claim('data')],
    }),
  },
  {
    name: 'a database whose volume is prepared by an init container as root',
    cache: 'yes',
    store: 'yes',
    set: setOf(
      'postgresql',
      { ...instance('postgresql'), 'app.kubernetes.io/component': 'primary' },
      {
        template: {
          spec: {
            initContainers: [
              {
                name: 'init-chmod-data',
                image: 'task:1',
                securityContext: { runAsUser: 0 },
                volumeMounts: [{ name: 'data', mountPath: '/bitnami/postgresql' }],
              },
            ],
            containers: [
              {
                name: 'postgresql',
                image: 'cache:1',
                env: [{ name: 'PGDATA', value: '/bitnami/postgresql/data' }],
                ports: [{ name: 'tcp-postgresql', containerPort: 5432 }],
                volumeMounts: [
                  { name: 'dshm', mountPath: '/dev/shm' },
                  { name: 'data', mountPath: '/bitnami/postgresql' },
                ],
              },
            ],
            volumes: [{ name: 'dshm', emptyDir: { medium: 'Memory' } }],
          },
        },
        volumeClaimTemplates: [claim('data')],
      },
    ),
  },
  {
    name: 'RabbitMQ: one after the other, with a hook before it ends',
    cache: 'yes',
    store: 'yes',
    set: setOf('rabbitmq', instance('rabbitmq'), {
      podManagementPolicy: 'OrderedReady',
      template: {
        spec: {
          terminationGracePeriodSeconds: 120,
          containers: [
            {
              name: 'rabbitmq',
              image: 'cache:1',
              lifecycle: { preStop: { exec: { command: ['/bin/sh', '-ec', 'rabbitmq-upgrade drain'] } } },
              ports: [{ name: 'amqp', containerPort: 5672 }],
              volumeMounts: [{ name: 'data', mountPath: '/var/lib/rabbitmq' }],
            },
          ],
        },
      },
      volumeClaimTemplates: [claim('data')],
    }),
  },
  {
    name: 'a coordination service with two claim templates',
    cache: 'only one claim template',
    store: 'only one claim template',
    set: setOf(
      'zookeeper',
      { app: 'zookeeper', release: 'shop' },
      {
        template: {
          spec: {
            containers: [
              {
                name: 'zookeeper',
                image: 'cache:1',
                volumeMounts: [
                  { name: 'data', mountPath: '/data' },
                  { name: 'datalog', mountPath: '/datalog' },
                ],
              },
            ],
          },
        },
        volumeClaimTemplates: [claim('data'), claim('datalog')],
      },
    ),
  },
  {
    name: 'Kafka: selected by expressions',
    cache: 'its selector has expressions',
    store: 'its selector has expressions',
    set: {
      ...setOf(
        'kafka',
        { app: 'kafka' },
        {
          template: { spec: { containers: [{ name: 'kafka', image: 'cache:1' }] } },
        },
      ),
      spec: {
        replicas: 3,
        serviceName: 'kafka-headless',
        selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['kafka'] }] },
        template: {
          metadata: { labels: { app: 'kafka' } },
          spec: { containers: [{ name: 'kafka', image: 'cache:1', ports: [{ containerPort: 9092 }] }] },
        },
      },
    },
  },
  {
    name: 'Prometheus: the sidecar first, updated by hand',
    cache: 'yes',
    store: 'a store has a volume',
    set: setOf(
      'prometheus',
      { app: 'prometheus' },
      {
        updateStrategy: { type: 'OnDelete' },
        template: {
          spec: {
            containers: [
              { name: 'config-reloader', image: 'cache:1', args: ['--volume-dir=/etc/config'] },
              { name: 'prometheus', image: 'cache:1', ports: [{ containerPort: 9090 }] },
            ],
          },
        },
      },
    ),
  },
  {
    name: 'NATS: restarted by kubectl, with a mark of that in its template',
    cache: 'yes',
    store: 'a store has a volume',
    set: setOf('nats', instance('nats'), {
      podManagementPolicy: 'Parallel',
      template: {
        metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } },
        spec: {
          shareProcessNamespace: true,
          containers: [
            {
              name: 'nats',
              image: 'cache:1',
              ports: [{ name: 'client', containerPort: 4222 }],
              startupProbe: { httpGet: { path: '/healthz', port: 8222 }, failureThreshold: 90 },
            },
          ],
        },
      },
    }),
  },
  {
    name: 'a search engine: a class of volumes, an init container, limits, and no Service name of its own',
    cache: 'yes',
    store: 'yes',
    set: setOf(
      'elasticsearch-master',
      { app: 'elasticsearch-master' },
      {
        template: {
          spec: {
            initContainers: [{ name: 'configure-sysctl', image: 'task:1', securityContext: { privileged: true } }],
            containers: [
              {
                name: 'elasticsearch',
                image: 'cache:1',
                resources: { limits: { cpu: '1000m', memory: '2048Mi' }, requests: { cpu: '1000m', memory: '2048Mi' } },
                ports: [{ name: 'http', containerPort: 9200 }],
                volumeMounts: [{ name: 'elasticsearch-master', mountPath: '/usr/share/elasticsearch/data' }],
              },
            ],
          },
        },
        volumeClaimTemplates: [claim('elasticsearch-master', { storageClassName: 'standard' })],
      },
    ),
  },
];
