import type { Case, Json, Session } from '../case.ts';
import { serveWebhooks } from '../webhook-server.ts';
import type { Answer, WebhookServer } from '../webhook-server.ts';
import { configMap, paths, pod, statefulSet } from './objects.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const patchOf = (...operations: readonly Json[]): Json => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const refusing =
  (status?: Json): Answer =>
  () => ({ allowed: false, ...(status && { status }) });

interface Hooks {
  readonly kind: 'Validating' | 'Mutating';
  readonly answers: Readonly<Record<string, Answer>>;
  /** What a webhook, by its path, has beside the usual. */
  readonly webhooks: Readonly<Record<string, Json>>;
}

const everything = { apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['*'] };
const rules = [
  { ...everything, resources: ['configmaps', 'pods', 'statefulsets', 'statefulsets/scale', 'pods/status'] },
];

function configurationOf(s: Session, { kind, webhooks }: Hooks, server: WebhookServer): Json {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: s.namespace },
    webhooks: Object.entries(webhooks).map(([path, fields]) => ({
      name: `${path.slice(1)}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules,
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': s.namespace } },
      clientConfig: { url: `${server.origin}${path}`, caBundle: server.caBundle },
      ...fields,
    })),
  };
}

/** Serves the webhooks, installs them, and waits until the world asks them. */
async function withHooks(s: Session, hooks: Hooks, work: (server: WebhookServer) => Promise<void>): Promise<void> {
  const probe = { rules: [{ ...everything, operations: ['CREATE'], resources: ['secrets'] }], failurePolicy: 'Ignore' };
  const server = await serveWebhooks(hooks.answers);
  s.hide(new URL(server.origin).host, '<webhook>');
  const plural = `${hooks.kind.toLowerCase()}webhookconfigurations`;
  const webhooks = { ...hooks.webhooks, '/probe': probe };
  try {
    const body = configurationOf(s, { ...hooks, webhooks }, server);
    const created = await s.world.send({ method: 'POST', path: `${group}/${plural}`, body });
    if (created.status !== 201) throw new Error(`${s.world.name}: ${JSON.stringify(created.body)}`);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'probe' } };
    for (let left = 100; left > 0 && server.taken().length === 0; left -= 1) {
      const path = `/api/v1/namespaces/${s.namespace}/secrets?dryRun=All`;
      await s.world.send({ method: 'POST', path, body: secret });
      if (left < 100) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    server.taken();
    await work(server);
  } finally {
    await s.world.send({ method: 'DELETE', path: `${group}/${plural}/${s.namespace}` });
    server.close();
  }
}

const hook = (name: string, hooks: Hooks, work: (s: Session, server: WebhookServer) => Promise<void>): Case => ({
  name: `webhook: ${name}`,
  body: (s) => withHooks(s, hooks, (server) => work(s, server)),
});

const validating = (answers: Readonly<Record<string, Answer>>, fields: Json = {}): Hooks => ({
  kind: 'Validating',
  answers,
  webhooks: Object.fromEntries(Object.keys(answers).map((path) => [path, fields])),
});
const mutating = (answers: Readonly<Record<string, Answer>>, fields: Json = {}): Hooks => ({
  ...validating(answers, fields),
  kind: 'Mutating',
});

const refusals: Readonly<Record<string, Json | undefined>> = {
  'without a word': undefined,
  'with a message': { message: 'not today' },
  'with a code and a message': { code: 422, message: 'too round' },
  'with a reason': { reason: 'Invalid', code: 422 },
  'with details': {
    message: 'no',
    details: { causes: [{ field: 'data', message: 'bad', reason: 'FieldValueInvalid' }] },
  },
  'with a code that is no error': { code: 200, message: 'fine' },
};

const failures: Readonly<Record<string, { readonly answer: Answer; readonly fields?: Json }>> = {
  'with a status of 500': { answer: () => ({ status: 500, text: 'broken' }) },
  'with what is no review': { answer: () => ({ status: 200, text: '{"kind":"Other","apiVersion":"v1"}' }) },
  'with another uid': { answer: () => ({ allowed: true, uid: 'x' }) },
  'not at all': { answer: () => 'never', fields: { timeoutSeconds: 1 } },
};

const yes = { name: 'yes', expression: "request.operation == 'CREATE' && has(object.data)" };
const no = { name: 'no', expression: "request.namespace.startsWith('nowhere-') || oldObject != null" };
const broken = { name: 'broken', expression: 'object.data.none > 1' };
const conditions: Readonly<Record<string, readonly Json[]>> = {
  'that hold': [yes],
  'of which one does not hold': [yes, no],
  'of which one has no value': [yes, broken],
  'of which two have no value': [broken, { name: 'broken-too', expression: '[1][int(object.data.key.size())] == 1' }],
  'of which one has no value and one does not hold': [broken, no],
};

const create = (s: Session, name = 'a') => s.create(paths.configMaps, configMap(name));

/** Admission webhooks that the case itself serves, with TLS. */
export const webhookCases: readonly Case[] = [
  hook('what is asked at each write', validating({ '/all': () => ({ allowed: true }) }), async (s, server) => {
    await create(s);
    await s.merge(`${paths.configMaps}/a`, { data: { key: 'other' } });
    await s.apply(`${paths.configMaps}/b`, { ...configMap('b'), data: { x: 'y' } });
    await s.create(`${paths.configMaps}?dryRun=All`, configMap('c'));
    await s.delete(`${paths.configMaps}/a`, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
    });
    s.record('what was asked', server.taken());
  }),
  hook('what is asked for subresources', validating({ '/all': () => ({ allowed: true }) }), async (s, server) => {
    await s.create(paths.statefulSets, statefulSet('web'));
    await s.merge(`${paths.statefulSets}/web/scale`, { spec: { replicas: 2 } });
    await s.merge(`${paths.statefulSets}/web/status`, { status: { replicas: 1 } });
    await s.create(paths.pods, pod('a'));
    await s.merge(`${paths.pods}/a/status`, { status: { message: 'x' } });
    await s.delete(`${paths.pods}/a`);
    await s.create(paths.pods, pod('b', { nodeName: 'node-1' }));
    await s.delete(`${paths.pods}/b`);
    await s.delete(`${paths.pods}/b`);
    await s.delete(`${paths.pods}/b?gracePeriodSeconds=0`);
    s.record(
      'what was asked',
      server.taken().map(({ object, oldObject, ...rest }) => rest),
    );
  }),
  ...Object.entries(refusals).map(([title, status]) =>
    hook(`refused ${title}`, validating({ '/no': refusing(status) }), async (s) => {
      await create(s);
    }),
  ),
  hook(
    'warnings',
    validating({ '/warns': () => ({ allowed: true, warnings: ['old habits', 'die hard'] }) }),
    async (s) => {
      await create(s);
    },
  ),
  hook(
    'refused deletions and updates',
    validating({ '/keep': ({ operation }) => ({ allowed: operation === 'CREATE', status: { message: 'keep it' } }) }),
    async (s) => {
      await create(s);
      await s.merge(`${paths.configMaps}/a`, { data: { key: 'other' } });
      await s.delete(`${paths.configMaps}/a`);
      await s.delete(paths.configMaps);
      await s.get(`${paths.configMaps}/a`);
    },
  ),
  hook(
    'selected objects',
    validating({ '/no': refusing() }, { objectSelector: { matchLabels: { checked: 'yes' } } }),
    async (s) => {
      await create(s);
      await s.create(paths.configMaps, configMap('b', {}, { labels: { checked: 'yes' } }));
      await s.merge(`${paths.configMaps}/a`, { metadata: { labels: { checked: 'yes' } } });
    },
  ),
  ...Object.entries(conditions).flatMap(([title, matchConditions]) =>
    (['Fail', 'Ignore'] as const).map((failurePolicy) =>
      hook(
        `conditions ${title}, ${failurePolicy}`,
        validating({ '/no': refusing() }, { matchConditions, failurePolicy }),
        async (s) => {
          await create(s);
          await s.merge(`${paths.configMaps}/a`, { data: { key: 'other' } });
        },
      ),
    ),
  ),
  hook(
    'a patch',
    mutating({
      '/adds': () => patchOf({ op: 'add', path: '/data/added', value: 'by webhook' }),
    }),
    async (s) => {
      await create(s);
      await s.merge(`${paths.configMaps}/a`, { data: { key: 'other' } });
      await s.apply(`${paths.configMaps}/b`, { ...configMap('b'), data: { x: 'y' } });
    },
  ),
  hook(
    'patches one after the other',
    mutating({
      '/a': () => patchOf({ op: 'add', path: '/metadata/labels', value: { first: 'a' } }),
      '/b': () => patchOf({ op: 'add', path: '/metadata/labels/second', value: 'b' }),
    }),
    async (s, server) => {
      await create(s);
      s.record('what was asked', server.taken());
    },
  ),
  hook(
    'a patch that fits nothing',
    mutating({ '/bad': () => patchOf({ op: 'remove', path: '/data/none' }) }),
    async (s) => {
      await create(s);
    },
  ),
  hook(
    'a patch that makes the object invalid',
    mutating({ '/bad': () => patchOf({ op: 'add', path: '/metadata/labels', value: { 'not a label': 'x' } }) }),
    async (s) => {
      await create(s);
    },
  ),
  ...Object.entries(failures).flatMap(([title, { answer, fields }]) =>
    (['Fail', 'Ignore'] as const).map((failurePolicy) =>
      hook(
        `answers ${title}, ${failurePolicy}`,
        validating({ '/x': answer }, { ...fields, failurePolicy }),
        async (s) => {
          await create(s);
        },
      ),
    ),
  ),
  ...(['Fail', 'Ignore'] as const).map((failurePolicy) =>
    hook(
      `no listener, ${failurePolicy}`,
      validating({ '/x': refusing() }, { failurePolicy, clientConfig: { url: 'https://127.0.0.1:1/x' } }),
      async (s) => {
        await create(s);
      },
    ),
  ),
  hook('another authority', { ...validating({ '/x': refusing() }), webhooks: {} }, async (s, server) => {
    const configuration = configurationOf(s, { ...validating({ '/x': refusing() }), webhooks: { '/x': {} } }, server);
    const [first] = configuration['webhooks'] as Json[];
    const other = await serveWebhooks({}, 'another');
    other.close();
    const webhooks = [{ ...first, clientConfig: { url: `${server.origin}/x`, caBundle: other.caBundle } }];
    const name = `${s.namespace}-other`;
    const plural = `${group}/validatingwebhookconfigurations`;
    await s.world.send({ method: 'POST', path: plural, body: { ...configuration, metadata: { name }, webhooks } });
    await new Promise((resolve) => setTimeout(resolve, s.world.name === 'real' ? 1500 : 0));
    await create(s);
    await s.world.send({ method: 'DELETE', path: `${plural}/${name}` });
  }),
];
