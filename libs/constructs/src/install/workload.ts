import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { operatorLabels, ports, type Installation, type OperatorInstallOptions } from './options.ts';

/** What the Deployment needs to know of the installation. */
export interface WorkloadOptions
  extends
    Installation,
    Pick<
      OperatorInstallOptions,
      | 'imagePullSecrets'
      | 'requests'
      | 'limits'
      | 'nodeSelector'
      | 'tolerations'
      | 'priorityClassName'
      | 'imagePullPolicy'
      | 'webhookClients'
    > {
  readonly image: string;
  readonly replicas: number;
  /** Whether webhooks are served. */
  readonly webhooks: boolean;
  readonly flags: readonly string[];
}

/** What nodes are given to learn that a pod of the operator serves: kube-proxy writes a Service's rules once in a second or so. */
const settleSeconds = 3;

/** How long a pod that ends serves its webhooks on: nodes that are busy learn late that they have to send requests elsewhere. */
const shutdownDelaySeconds = 15;

/** What it takes beyond that, or beyond the drain of its reconciles (20 s by default): the last answers, each of 10 s at most, and the rest. */
const endSeconds = 25;

/**
 * The operator's pods, spread over nodes and kept apart from root, privileges and a writable file system (the restricted Pod Security Standard).
 * Another pod of the pair may be evicted only while one is left.
 */
export function runOperator(scope: Construct, options: WorkloadOptions): void {
  const { name, namespace, replicas } = options;
  const labels = operatorLabels(options);
  new ApiObject(scope, 'deployment', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      // Nodes learn of a pod's readiness a little later: only then does the API server reach its webhooks, and another one may go.
      minReadySeconds: settleSeconds,
      template: {
        metadata: { labels, annotations: { 'kubectl.kubernetes.io/default-container': 'operator' } },
        spec: podSpec(options),
      },
    },
  });
  if (replicas > 1) {
    new ApiObject(scope, 'disruption-budget', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace },
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    });
  }
}

function podSpec(options: WorkloadOptions) {
  const { imagePullSecrets = [], nodeSelector = {}, tolerations = [] } = options;
  return {
    serviceAccountName: options.name,
    automountServiceAccountToken: true,
    // Else each Service in front of the pods would become environment variables that look like settings of the program.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: shutdownDelaySeconds + endSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: operatorLabels(options) },
    })),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(options.priorityClassName && { priorityClassName: options.priorityClassName }),
    ...(options.webhookClients && {
      volumes: [{ name: 'webhook-clients', configMap: { name: options.webhookClients.configMap } }],
    }),
    containers: [container(options)],
  };
}

function container(options: WorkloadOptions) {
  return {
    name: 'operator',
    image: options.image,
    imagePullPolicy: options.imagePullPolicy ?? 'IfNotPresent',
    args: [...webhookFlags(options), ...options.flags, ...clientFlags(options)],
    ...(options.webhookClients && {
      volumeMounts: [{ name: 'webhook-clients', mountPath: clientsPath, readOnly: true }],
    }),
    env: [
      { name: 'ORDINAL_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'ORDINAL_POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    ],
    ports: Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' })),
    // The first informers of a large cluster take a while; a pod is not killed for it.
    startupProbe: { httpGet: { path: '/healthz', port: 'health' }, periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, periodSeconds: 20, timeoutSeconds: 5 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 5, timeoutSeconds: 5 },
    resources: {
      requests: { cpu: '50m', memory: '96Mi', ...options.requests },
      limits: { memory: '512Mi', ...options.limits },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** Where the authorities of API servers' client certificates are in the container. */
const clientsPath = '/etc/ordinal/webhook-clients';

/** No `preStop` that sleeps: by SIGTERM the operator learns that it ends, releases its lease at once, and ends the API server's connections one by one. */
function webhookFlags({ webhooks }: WorkloadOptions): readonly string[] {
  return webhooks ? [`--webhook-shutdown-delay=${shutdownDelaySeconds}s`] : ['--webhooks=false'];
}

function clientFlags({ webhookClients }: WorkloadOptions): readonly string[] {
  if (webhookClients === undefined) return [];
  const { names } = webhookClients;
  return [
    `--webhook-client-ca=${clientsPath}/ca.crt`,
    ...(names.length > 0 ? [`--webhook-client-names=${names.join(',')}`] : []),
  ];
}
