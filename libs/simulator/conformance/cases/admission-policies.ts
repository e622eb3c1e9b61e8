import type { Case, Json, Session } from '../case.ts';
import { configMap, paths } from './objects.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const policies = `${group}/validatingadmissionpolicies`;
const bindings = `${group}/validatingadmissionpolicybindings`;
const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
};

const isProbe = "object != null && object.metadata.name == 'probe'";

function policy(s: Session, spec: Json): Json {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': s.namespace } };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: s.namespace },
    spec: { matchConstraints: { resourceRules: [rule], namespaceSelector }, ...spec },
  };
}

interface Bound {
  readonly spec: Json;
  readonly binding?: Json;
}

/** Binds a policy to the namespace of the case, works with it when the server asks it, and takes both away. */
async function withPolicy(s: Session, { spec, binding = {} }: Bound, work: () => Promise<void>): Promise<void> {
  const validations = [
    { expression: `!(${isProbe})`, message: 'a probe' },
    ...((spec['validations'] ?? []) as readonly Json[]),
  ];
  const bound = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: s.namespace },
    spec: { policyName: s.namespace, validationActions: ['Deny'], ...binding },
  };
  s.hide(s.namespace, '<ns>');
  try {
    await s.create(policies, policy(s, { ...spec, validations }));
    await s.create(bindings, bound);
    for (let left = 300; left > 0; left -= 1) {
      const path = `${paths.configMaps.replaceAll(':ns', s.namespace)}?dryRun=All`;
      const reply = await s.world.send({ method: 'POST', path, body: configMap('probe') });
      if (reply.status !== 201 || reply.warnings.length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await work();
  } finally {
    for (const plural of [bindings, policies])
      await s.world.send({ method: 'DELETE', path: `${plural}/${s.namespace}` });
  }
}

const sized = (name: string, size: string, rest: Json = {}): Json => ({ ...configMap(name), data: { size }, ...rest });

const big = { expression: "object == null || object.data.size != 'big'" };

/** What a policy says of a small and a big object, and of one that has no size. */
const said: Readonly<Record<string, Bound>> = {
  'what does not hold': { spec: { validations: [big] } },
  'its own words': { spec: { validations: [{ ...big, message: ' too big ', reason: 'Forbidden' }] } },
  'words that are made': { spec: { validations: [{ ...big, messageExpression: "'not ' + object.data.size" }] } },
  'words that can not be made': {
    spec: { validations: [{ ...big, message: 'no', messageExpression: "'not ' + object.data.none" }] },
  },
  'several things': { spec: { validations: [big, { expression: "object == null || object.data.size == 'none'" }] } },
  'errors that are ignored': { spec: { failurePolicy: 'Ignore', validations: [big] } },
  'a warning': { spec: { validations: [big] }, binding: { validationActions: ['Warn', 'Audit'] } },
  'by variables': {
    spec: {
      variables: [
        { name: 'size', expression: "object == null ? '' : object.data.size" },
        { name: 'isBig', expression: "variables.size == 'big'" },
      ],
      validations: [{ expression: '!variables.isBig' }],
    },
  },
  'by the request and the namespace': {
    spec: {
      validations: [
        {
          expression:
            "request.operation == 'DELETE' || (namespaceObject.metadata.name == request.namespace && request.resource.resource == 'configmaps' && object.data.size != 'big')",
        },
      ],
    },
  },
  'under a condition': {
    spec: {
      matchConditions: [{ name: 'not-b', expression: "object == null || object.metadata.name != 'b'" }],
      validations: [big],
    },
  },
  'of other objects': {
    spec: { validations: [big] },
    binding: { matchResources: { objectSelector: { matchLabels: { checked: 'yes' } } } },
  },
  'of objects by their names': {
    spec: { validations: [big] },
    binding: { matchResources: { resourceRules: [{ ...rule, resourceNames: ['b', 'probe'] }] } },
  },
};

const list = paths.configMaps;

/** What is wrong with a policy or a binding. */
const wrong: Readonly<Record<string, Json>> = {
  'nothing to check': { validations: [] },
  'no expression': { validations: [{ expression: ' ' }] },
  'a name that is none': { variables: [{ name: 'a-b', expression: '1' }], validations: [{ expression: 'true' }] },
  'an unknown reason': { validations: [{ expression: 'true', reason: 'Sorry' }] },
  'an empty message': { validations: [{ expression: 'true', message: ' ' }] },
  'no rules': { matchConstraints: {}, validations: [{ expression: 'true' }] },
  'an unknown operation': {
    matchConstraints: { resourceRules: [{ ...rule, operations: ['*', 'READ'] }] },
    validations: [{ expression: 'true' }],
  },
};

/** Policies in CEL. */
export const admissionPolicyCases: readonly Case[] = [
  ...Object.entries(said).map(([title, bound]) => ({
    name: `admission policies: ${title}`,
    body: (s: Session) =>
      withPolicy(s, bound, async () => {
        await s.create(list, sized('a', 'small'));
        await s.create(list, sized('b', 'big'));
        await s.create(list, { ...configMap('c'), data: { other: '' } });
        await s.merge(`${list}/a`, { data: { size: 'big' } });
        await s.delete(`${list}/a`);
      }),
  })),
  {
    name: 'admission policies: parameters',
    async body(s) {
      const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
      const validations = [
        { expression: 'object == null || params == null || object.data.size != params.data.forbidden' },
      ];
      const matchConditions = [{ name: 'sized', expression: "object != null && object.metadata.name != 'limits'" }];
      const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' };
      const bound = { spec: { paramKind, validations, matchConditions }, binding: { paramRef } };
      await s.create(list, sized('early', 'big'));
      await withPolicy(s, bound, async () => {
        await s.create(list, sized('a', 'big'));
      });
    },
  },
  ...Object.entries(wrong).map(([title, spec]) => ({
    name: `admission policies: refused with ${title}`,
    async body(s: Session) {
      s.hide(s.namespace, '<ns>');
      await s.create(policies, policy(s, spec));
    },
  })),
  {
    name: 'admission policies: bindings that are refused',
    async body(s) {
      s.hide(s.namespace, '<ns>');
      const binding = (spec: Json): Json => ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: s.namespace },
        spec,
      });
      const both = { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' };
      await s.create(bindings, binding({ policyName: 'a' }));
      await s.create(bindings, binding({ policyName: 'a', validationActions: ['Deny', 'Warn'] }));
      await s.create(bindings, binding({ policyName: 'a', validationActions: ['Deny'], paramRef: both }));
      await s.create(bindings, binding({ policyName: 'a', validationActions: ['Deny'], paramRef: { name: 'a' } }));
    },
  },
];
