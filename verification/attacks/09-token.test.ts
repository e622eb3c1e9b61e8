import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookNames } from '@ordinal/constructs';
import { installation } from './world/plane.ts';
import { startWorld, type World } from './world/world.ts';

// An attacker has the operator's token: what is it worth, in each mode of the installation?

const tenant = 'shop';
const dryRun = '?dryRun=All';

/** A Job of a stranger, under the given service account. */
function job(namespace: string, pod: object = {}): object {
  const containers = [{ name: 'a', image: 'attack:1' }];
  const spec = { restartPolicy: 'Never', containers, ...pod };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'attack', namespace },
    spec: { template: { metadata: {}, spec } },
  };
}

const pod = (namespace: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'victim', namespace },
  spec: { containers: [{ name: 'a', image: 'a:1' }] },
});
const secret = (namespace: string, name: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
});
const privileged = { hostPID: true, containers: [{ name: 'a', image: 'a', securityContext: { privileged: true } }] };

const headers = { 'content-type': 'application/json-patch+json' };

/** What becomes of an attempt: nothing, or what the API server says against it. */
type Attempt = (world: World) => Promise<string>;

function attempt(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Attempt {
  return ({ asOperator }) =>
    asOperator
      .request(method, path, body === undefined ? {} : { body, ...(method === 'PATCH' ? { headers } : {}) })
      .then(
        () => 'done',
        (error: unknown) => String(error),
      );
}

const jobIn = (namespace: string, spec?: object): Attempt =>
  attempt('POST', `/apis/batch/v1/namespaces/${namespace}/jobs${dryRun}`, job(namespace, spec));
const secretIn = (namespace: string, name: string): Attempt =>
  attempt('POST', `/api/v1/namespaces/${namespace}/secrets${dryRun}`, secret(namespace, name));
const deletePod = (namespace: string): Attempt =>
  attempt('DELETE', `/api/v1/namespaces/${namespace}/pods/victim${dryRun}`);
const command = (namespace: string): Attempt =>
  attempt('POST', `/api/v1/namespaces/${namespace}/pods/victim/exec?command=id&stdout=true`);
const secretsOf = (namespace: string): Attempt => attempt('GET', `/api/v1/namespaces/${namespace}/secrets`);

const ownWebhooks = (operation: object): Attempt =>
  attempt(
    'PATCH',
    `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${webhookNames(installation.name).configuration}${dryRun}`,
    [operation],
  );
const everything = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] }];

const askedAboutAll = ownWebhooks({ op: 'replace', path: '/webhooks/0/rules', value: everything });

const asController = { serviceAccountName: 'clusterrole-aggregation-controller' };
const keptOut = /keeps out of this namespace/;
const pinned = /changes nothing of its webhooks but caBundle/;
const withoutRight = /cannot (create|delete|list) resource/;

async function world(watchNamespaces: readonly string[]): Promise<World> {
  const started = await startWorld({ operator: false, install: { watchNamespaces } });
  for (const namespace of [tenant, 'elsewhere', 'kube-system', installation.namespace]) {
    await started.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await started.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: asController.serviceAccountName, namespace },
    });
    await started.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
    await started.apply(pod(namespace));
  }
  // Policies are in force a moment after they are stored.
  const deadline = performance.now() + 30_000;
  const isInForce = async (): Promise<boolean> =>
    (await jobIn(tenant, privileged)(started)).includes('at level baseline') &&
    pinned.test(await askedAboutAll(started)) &&
    keptOut.test(await secretIn(installation.namespace, 'a')(started));
  while (started.plane.kind === 'real' && !(await isInForce()) && performance.now() < deadline) await pause(200);
  return started;
}

type Row = readonly [what: string, attempt: Attempt, outcome: RegExp];

const onWebhooks: readonly Row[] = [
  ['its webhooks are to be asked about everything', askedAboutAll, pinned],
  [
    'its webhooks are to be asked at another address',
    ownWebhooks({ op: 'replace', path: '/webhooks/0/clientConfig', value: { url: 'https://mallory.invalid' } }),
    pinned,
  ],
  [
    'one webhook more is to be asked',
    ownWebhooks({ op: 'copy', from: '/webhooks/0', path: '/webhooks/-' }),
    /changes nothing of its webhooks|Duplicate value/,
  ],
  [
    'its webhooks trust another authority',
    ownWebhooks({ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: '' }),
    /^done$/,
  ],
];

const everywhere: readonly Row[] = [
  ['a Job in kube-system, as clusterrole-aggregation-controller', jobIn('kube-system', asController), keptOut],
  ['a Secret in kube-system', secretIn('kube-system', 'a'), keptOut],
  ['a pod of kube-system is deleted', deletePod('kube-system'), keptOut],
  ['a command in a pod of kube-system', command('kube-system'), keptOut],
  ["a Job in the operator's own namespace", jobIn(installation.namespace), keptOut],
  ["another Secret in the operator's own namespace", secretIn(installation.namespace, 'a'), keptOut],
  [
    "its own Secret in the operator's own namespace",
    secretIn(installation.namespace, 'ordinal-operator-webhooks'),
    /^done$|already exists/,
  ],
  ['a privileged Job in any other namespace', jobIn(tenant, privileged), /at level baseline/],
  ...onWebhooks,
  // This is what is left.
  ['a Job in any other namespace, as any service account', jobIn('elsewhere', asController), /^done$/],
  ['a pod of any other namespace is deleted', deletePod('elsewhere'), /^done$/],
  ['Secrets of kube-system are read: admission sees no reads', secretsOf('kube-system'), /^done$/],
];

const named: readonly Row[] = [
  ['a Job in kube-system, as clusterrole-aggregation-controller', jobIn('kube-system', asController), withoutRight],
  ['Secrets of kube-system are read', secretsOf('kube-system'), withoutRight],
  ['a Job in a namespace that is not watched', jobIn('elsewhere'), withoutRight],
  ['Secrets of a namespace that is not watched are read', secretsOf('elsewhere'), withoutRight],
  ['a pod of a namespace that is not watched is deleted', deletePod('elsewhere'), withoutRight],
  ["another Secret in the operator's own namespace", secretIn(installation.namespace, 'a'), keptOut],
  ['a privileged Job in a watched namespace', jobIn(tenant, privileged), /at level baseline/],
  ...onWebhooks,
  // This is what is left.
  ['a Job in a watched namespace', jobIn(tenant, asController), /^done$/],
  ['Secrets of a watched namespace are read', secretsOf(tenant), /^done$/],
];

describe.each([
  ['that watches all namespaces', [], everywhere],
  ['that watches some', [tenant], named],
] as const)('the token of an operator %s', (_mode, watchNamespaces, rows) => {
  let tried: World;
  beforeAll(async () => {
    tried = await world(watchNamespaces);
    // What an installation before this one has given.
    if (watchNamespaces.length > 0) {
      await tried.admin.request('DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/ordinal-operator');
      await tried.stop();
      tried = await world(watchNamespaces);
    }
  });
  afterAll(() => tried.stop());

  test.for(rows)('%s', async ([, tryIt, outcome], { skip }) => {
    const isOfPolicy = [keptOut, pinned].includes(outcome) || /baseline|webhooks/.test(String(outcome));
    if (tried.plane.kind === 'simulated' && isOfPolicy) skip('the simulated API server has no admission policies');
    expect(await tryIt(tried)).toMatch(outcome);
  });
});
