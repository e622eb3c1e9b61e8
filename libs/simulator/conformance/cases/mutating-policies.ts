import type { Case, Json, Session } from '../case.ts';
import { configMap, paths } from './objects.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const policies = `${group}/mutatingadmissionpolicies`;
const bindings = `${group}/mutatingadmissionpolicybindings`;

const rule = (plural: string, apiGroup = ''): Json => ({
  apiGroups: [apiGroup],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: [plural],
});
const apply = (expression: string): Json => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string): Json => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

const policy = (name: string, spec: Json): Json => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingAdmissionPolicy',
  metadata: { name },
  spec: { reinvocationPolicy: 'Never', matchConstraints: { resourceRules: [rule('configmaps')] }, ...spec },
});

/** Waits until the server asks a policy, or does so no more. */
async function probed(s: Session, until: (seen: boolean) => boolean): Promise<void> {
  for (let left = 300; left > 0; left -= 1) {
    const path = `${paths.configMaps.replaceAll(':ns', s.namespace)}?dryRun=All`;
    const { body } = await s.world.send({ method: 'POST', path, body: configMap('probe') });
    if (until((body as { readonly data?: Json }).data?.['probe'] === 'seen')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Binds a policy to the namespace of the case, works with it when the server asks it, and takes both away. */
async function withPolicy(s: Session, spec: Json, work: () => Promise<void>): Promise<void> {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': s.namespace } };
  const resourceRules = [rule('configmaps'), rule('deployments', 'apps')];
  const marked = apply('object.metadata.name == "probe" ? Object{data: {"probe": "seen"}} : Object{}');
  const mutations = [...((spec['mutations'] ?? []) as readonly Json[]), marked];
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: s.namespace },
    spec: { policyName: s.namespace },
  };
  s.hide(s.namespace, '<ns>');
  try {
    await s.create(
      policies,
      policy(s.namespace, { matchConstraints: { resourceRules, namespaceSelector }, ...spec, mutations }),
    );
    await s.create(bindings, binding);
    await probed(s, (seen) => seen);
    await work();
  } finally {
    for (const plural of [bindings, policies])
      await s.world.send({ method: 'DELETE', path: `${plural}/${s.namespace}` });
    await probed(s, (seen) => !seen);
  }
}

const deployment = (name: string): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          { name: 'main', image: 'app:1' },
          { name: 'other', image: 'app:1' },
        ],
      },
    },
  },
});

/** What the expressions of a policy change, and which ones are refused. */
export const mutatingPolicyCases: readonly Case[] = [
  {
    name: 'mutating policies: objects that are applied, and patches',
    async body(s) {
      const labels = 'Object{metadata: Object.metadata{labels: {"size": string(variables.size)}}}';
      const spec = {
        variables: [{ name: 'size', expression: 'has(object.data) ? size(object.data) : 0' }],
        matchConditions: [{ name: 'not-excluded', expression: 'object.metadata.name != "excluded"' }],
        mutations: [
          apply(labels),
          patch(
            'object.kind == "ConfigMap" && has(object.data) ? [JSONPatch{op: "add", path: "/data/b", value: "c"}, JSONPatch{op: "remove", path: "/data/b"}, JSONPatch{op: "add", path: "/data/d", value: object.metadata.labels["size"]}] : []',
          ),
        ],
      };
      await withPolicy(s, spec, async () => {
        await s.create(paths.configMaps, configMap('a'));
        await s.create(paths.configMaps, configMap('excluded'));
        await s.create(paths.configMaps, { ...configMap('b'), data: { x: 'y', z: '1' } });
        await s.merge(`${paths.configMaps}/a`, { data: { e: 'f' } });
        await s.apply(`${paths.configMaps}/c`, { ...configMap('c'), data: { g: 'h' } });
        await s.get(`${paths.configMaps}/c`);
      });
    },
  },
  {
    name: 'mutating policies: parts of a list by their names',
    async body(s) {
      const expression = `object.kind != "Deployment" ? Object{} : Object{spec: Object.spec{replicas: 3, template: Object.spec.template{spec: Object.spec.template.spec{
        containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, env: [Object.spec.template.spec.containers.env{name: "A", value: c.name}]})}}}}`;
      await withPolicy(s, { mutations: [apply(expression)] }, async () => {
        await s.create('/apis/apps/v1/namespaces/:ns/deployments', deployment('a'));
      });
    },
  },
  {
    name: 'mutating policies: what can not be done refuses, or is passed over',
    async body(s) {
      const wrong = 'object.metadata.name == "wrong" ? Object{data: {"a": object.none}} : Object{}';
      await withPolicy(s, { mutations: [apply(wrong)] }, async () => {
        await s.create(paths.configMaps, configMap('wrong'));
        await s.create(paths.configMaps, configMap('right'));
      });
      await withPolicy(s, { failurePolicy: 'Ignore', mutations: [apply(wrong)] }, async () => {
        await s.create(paths.configMaps, configMap('wrong'));
      });
      const atomic =
        'object.kind != "Deployment" ? Object{} : Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}';
      const named = 'object.kind != "Deployment" ? Object{} : Object{spec: Object.spec{template: Object.template{}}}';
      await withPolicy(s, { mutations: [apply(atomic), apply(named)] }, async () => {
        await s.create('/apis/apps/v1/namespaces/:ns/deployments', deployment('b'));
      });
      const tested =
        '[JSONPatch{op: "test", path: "/metadata/name", value: "tested"}, JSONPatch{op: "add", path: "/data", value: {"was": "tested"}}]';
      await withPolicy(s, { mutations: [patch(tested)] }, async () => {
        await s.create(paths.configMaps, configMap('tested'));
        await s.create(paths.configMaps, configMap('untested'));
      });
    },
  },
  {
    name: 'mutating policies: policies and bindings that are refused',
    async body(s) {
      const good = { mutations: [apply('Object{}')] };
      const name = s.namespace;
      s.hide(name, '<ns>');
      for (const spec of [
        {},
        { ...good, reinvocationPolicy: '' },
        { ...good, reinvocationPolicy: 'Sometimes' },
        { ...good, failurePolicy: 'Perhaps' },
        { ...good, matchConstraints: { resourceRules: [] } },
        { ...good, matchConstraints: { resourceRules: [{ ...rule('configmaps'), operations: ['DELETE'] }] } },
        { mutations: [{ patchType: 'Merge' }] },
        { mutations: [{ patchType: 'JSONPatch' }] },
        { mutations: [{ ...apply('Object{}'), jsonPatch: { expression: '[]' } }] },
        { mutations: [apply('')] },
      ])
        await s.create(policies, policy(name, spec));
      const binding = (spec: Json): Json => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicyBinding',
        metadata: { name },
        spec,
      });
      await s.create(bindings, binding({ policyName: '' }));
      await s.create(bindings, binding({ policyName: 'A_b' }));
      await s.create(bindings, binding({ policyName: 'a', paramRef: { name: 'b' } }));
      await s.create(
        bindings,
        binding({ policyName: 'a', matchResources: { resourceRules: [{ ...rule('pods'), operations: ['CONNECT'] }] } }),
      );
    },
  },
];
