import type { Kubernetes } from './kubernetes.ts';
import { redisImages } from './redis.ts';

/** Something that keeps a resource from getting on. */
export interface Wedge {
  /** Of the wedge, the resource and the end of the namespace. */
  readonly name: string;
  readonly kind: string;
  readonly head: { readonly apiVersion: string; readonly kind: string };
  /** The spec before it. */
  readonly before: object;
  /** What changes in the spec; absent where the resource is deleted. */
  readonly change?: object;
  /** Whether there is no resource before. */
  readonly isNew?: boolean;
  /** What is done beside it first. */
  readonly plant?: (kubernetes: Kubernetes, namespace: string) => Promise<unknown>;
  /** What a user has to say to `what-if`, since a cluster can't show it before. */
  readonly behaviour?: string;
  /** What the steps and the waits of `what-if` say of this wedge, and of none of the others. */
  readonly predicts: RegExp;
  /** The same of `why`. */
  readonly named: RegExp;
  /** What the other party does in the end, so that the namespace can go. */
  readonly release?: (kubernetes: Kubernetes, namespace: string) => Promise<unknown>;
}

const redis = { command: ['redis-server', '--save', '', '--protected-mode', 'no'] };
const deadline = { progressDeadline: '60s' };
const pods = (name: string, more: object = {}) => ({
  podTemplate: { spec: { terminationGracePeriodSeconds: 2, containers: [{ name, ...redis }], ...more } },
});

const ofCache = {
  kind: 'clusteredcache',
  head: { apiVersion: 'cache.my.domain/v1', kind: 'ClusteredCache' },
  before: { replicas: 2, image: redisImages.before, upgrade: deadline, ...pods('cache') },
};
const newImage = { image: redisImages.after };
const ofStore = {
  kind: 'kvstorecluster',
  head: { apiVersion: 'kvstore.example.com/v1', kind: 'KVStoreCluster' },
  before: {
    ...{ version: '7', replicas: 1, image: 'docker.io/e2e/redis', deletionPolicy: 'Delete' },
    ...{ storage: { className: 'standard', size: '1Gi' }, ...pods('kvstore') },
  },
};

const quota = (hard: object) => async (kubernetes: Kubernetes, namespace: string) => {
  await kubernetes.apply({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'team', namespace },
    spec: { hard },
  });
  await kubernetes.kubectl([
    'wait',
    'resourcequota/team',
    '-n',
    namespace,
    '--for=jsonpath={.status.hard}',
    '--timeout=60s',
  ]);
};

async function deadWebhook(kubernetes: Kubernetes, namespace: string): Promise<void> {
  await kubernetes.apply(
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'policy', namespace },
      spec: { selector: { app: 'policy' }, ports: [{ port: 443 }] },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      // Goes with its namespace.
      metadata: {
        name: namespace,
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Namespace',
            name: namespace,
            uid: (await kubernetes.get('namespace', namespace)).metadata.uid,
          },
        ],
      },
      webhooks: [
        {
          ...{
            name: 'policy.example.com',
            clientConfig: { service: { namespace, name: 'policy' } },
            failurePolicy: 'Fail',
          },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
          ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 2 },
        },
      ],
    },
  );
}

/** A server that does not answer: its Service has nothing behind it. */
const deadProvider = (kubernetes: Kubernetes, namespace: string) =>
  kubernetes.apply(
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'provider', namespace },
      spec: { selector: { app: 'provider' }, ports: [{ port: 5432 }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'provider', namespace },
      stringData: {
        provider: 'postgres',
        host: `provider.${namespace}.svc`,
        port: '5432',
        username: 'postgres',
        password: 'for-this-run-only',
        sslMode: 'disable',
      },
    },
  );

const finalizer = 'backup.example.com/snapshot';
const patchFinalizers = (operation: object) => (kubernetes: Kubernetes, namespace: string) =>
  kubernetes.kubectl([
    ...['patch', 'clusteredcache', 'foreign-finalizer', '-n', namespace, '--type=json', '-p'],
    JSON.stringify([operation]),
  ]);

/** Ten of them. */
export const wedges: readonly Wedge[] = [
  {
    ...{ name: 'bad-image', ...ofCache, change: { image: 'docker.io/e2e/redis:absent' } },
    behaviour: 'images: { "docker.io/e2e/redis:absent": { pull: fails } }',
    ...{
      predicts: /does not start: (ErrImagePull|ImagePullBackOff)/,
      named: /can’t pull its image “docker\.io\/e2e\/redis:absent”/,
    },
  },
  {
    ...{ name: 'closed-gate', ...ofCache },
    change: { ...newImage, upgrade: { ...deadline, gates: [{ name: 'drained', exec: { command: ['false'] } }] } },
    ...{ behaviour: 'gates: { drained: closed }', predicts: /waits for gate drained/, named: /gate drained/ },
  },
  {
    ...{ name: 'no-leader', ...ofCache },
    change: {
      ...newImage,
      upgrade: { ...deadline, order: 'LeaderLast', role: { label: 'role', leaderValue: 'primary' } },
    },
    ...{
      // The other member has ended: it waits for this one to lead.
      predicts: /none of no-leader-0 leads/,
      named: /none of no-leader-0 leads/,
    },
  },
  {
    ...{ name: 'full-quota', ...ofCache, change: newImage, plant: quota({ pods: '1' }) },
    ...{ predicts: /exceeded quota: team, requested: pods=1/, named: /exceeded quota: team, requested: pods=1/ },
  },
  {
    ...{ name: 'refused-job', ...ofCache, plant: quota({ 'count/jobs.batch': '0' }) },
    change: { ...newImage, upgrade: { ...deadline, beforeFirstPod: { image: redisImages.before, command: ['true'] } } },
    ...{
      predicts: /exceeded quota: team, requested: count\/jobs\.batch=1/,
      named: /exceeded quota: team, requested: count\/jobs\.batch=1/,
    },
  },
  {
    ...{ name: 'unschedulable', ...ofCache, change: pods('cache', { nodeSelector: { rack: 'absent' } }) },
    ...{ predicts: /Unschedulable/, named: /Unschedulable/ },
  },
  {
    ...{ name: 'fixed-volume', ...ofStore, change: { storage: { className: 'standard', size: '2Gi' } } },
    ...{ predicts: /must support resize/, named: /must support resize/ },
  },
  {
    ...{ name: 'dead-webhook', ...ofCache, change: newImage, plant: deadWebhook },
    ...{
      predicts: /failed calling webhook "policy\.example\.com"/,
      named: /a webhook does not answer: “.*policy\.example\.com/,
    },
  },
  {
    ...{
      name: 'dead-provider',
      kind: 'clouddatabase',
      head: { apiVersion: 'db.example.com/v1', kind: 'CloudDatabase' },
    },
    ...{ before: { engine: 'postgres', size: 'small', providerRef: { name: 'provider' } }, change: {}, isNew: true },
    ...{
      plant: deadProvider,
      behaviour: 'providers: { provider: down }',
      predicts: /is not in sync \(CallFailed\): Unreachable/,
      named: /Synced=False \(CallFailed\): Unreachable/,
    },
  },
  {
    ...{ name: 'foreign-finalizer', ...ofCache },
    plant: patchFinalizers({ op: 'add', path: '/metadata/finalizers/-', value: finalizer }),
    // The operator's own is gone by then.
    release: patchFinalizers({ op: 'remove', path: '/metadata/finalizers/0' }),
    ...{ predicts: /is kept by the finalizer backup\.example\.com\/snapshot/, named: /backup\.example\.com\/snapshot/ },
  },
];
