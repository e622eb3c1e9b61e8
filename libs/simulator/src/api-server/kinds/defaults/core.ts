import { isObject } from '../../object.ts';
import type { JsonObject } from '../../request.ts';
import { filled } from './filled.ts';
import type { Defaults } from './filled.ts';

function service(value: JsonObject): JsonObject {
  const given = isObject(value['spec']) ? value['spec'] : {};
  let spec = filled(given, { sessionAffinity: 'None', type: 'ClusterIP' });
  if (spec['sessionAffinity'] === 'ClientIP')
    spec = filled(spec, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } });
  const external = spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
  if (external) spec = filled(spec, { externalTrafficPolicy: 'Cluster' });
  if (spec['type'] !== 'ExternalName') spec = filled(spec, { internalTrafficPolicy: 'Cluster' });
  if (spec['type'] === 'LoadBalancer') spec = filled(spec, { allocateLoadBalancerNodePorts: true });
  return spec === given ? value : { ...value, spec };
}

function servicePort(value: JsonObject): JsonObject {
  const target = value['targetPort'];
  const port =
    target === undefined || target === null || target === 0 || target === ''
      ? { ...value, targetPort: value['port'] }
      : value;
  return filled(port, { protocol: 'TCP' });
}

function inStatus(value: JsonObject, defaults: JsonObject): JsonObject {
  const status = isObject(value['status']) ? value['status'] : {};
  const next = filled(status, defaults);
  return next === value['status'] ? value : { ...value, status: next };
}

function namespace(value: JsonObject): JsonObject {
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const { name } = metadata;
  if (typeof name !== 'string' || name === '') return value;
  const labels = isObject(metadata['labels']) ? metadata['labels'] : {};
  return labels['kubernetes.io/metadata.name'] === name
    ? value
    : { ...value, metadata: { ...metadata, labels: { ...labels, 'kubernetes.io/metadata.name': name } } };
}

const rbacGroup = 'rbac.authorization.k8s.io';

const roleBinding = (value: JsonObject): JsonObject =>
  isObject(value['roleRef']) ? { ...value, roleRef: filled(value['roleRef'], { apiGroup: rbacGroup }) } : value;

const webhook = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

function customResourceDefinition(value: JsonObject): JsonObject {
  const spec = isObject(value['spec']) ? value['spec'] : {};
  const names = isObject(spec['names']) ? spec['names'] : {};
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  const status = isObject(value['status']) ? value['status'] : {};
  const versions = Array.isArray(spec['versions']) ? (spec['versions'] as readonly JsonObject[]) : [];
  const stored = versions.find((version) => version['storage'] === true);
  const known = Array.isArray(status['storedVersions']) && status['storedVersions'].length > 0;
  return {
    ...value,
    spec: {
      ...filled(spec, { conversion: { strategy: 'None' } }),
      names: filled(names, { singular: kind.toLowerCase(), ...(kind !== '' && { listKind: `${kind}List` }) }),
    },
    status: known || stored === undefined ? status : { ...status, storedVersions: [stored['name']] },
  };
}

/** What is written in plain text is kept encoded. */
function encodeStringData(value: JsonObject): JsonObject {
  const { stringData, ...rest } = value;
  if (!isObject(stringData)) return value;
  const encoded = Object.fromEntries(
    Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]),
  );
  return { ...rest, data: { ...(isObject(value['data']) ? value['data'] : {}), ...encoded } };
}

/** A policy is about what comes in, and about what goes out where it has rules for that. */
function networkPolicy(value: JsonObject): JsonObject {
  const egress = Array.isArray(value['egress']) && value['egress'].length > 0;
  const given = Array.isArray(value['policyTypes']) && value['policyTypes'].length > 0;
  return given ? value : { ...value, policyTypes: egress ? ['Ingress', 'Egress'] : ['Ingress'] };
}

/** Where a container's limit or request is not given, it is the most or the least that is allowed. */
function limitRangeItem(value: JsonObject): JsonObject {
  if (value['type'] !== 'Container') return value;
  const list = (field: string): JsonObject => (isObject(value[field]) ? value[field] : {});
  const limits = { ...list('max'), ...list('default') };
  return { ...value, default: limits, defaultRequest: { ...list('min'), ...limits, ...list('defaultRequest') } };
}

/** Defaults of all other built-in kinds. */
export const coreDefaults: Defaults = {
  'io.k8s.api.core.v1.Service': service,
  'io.k8s.api.core.v1.ServicePort': servicePort,
  'io.k8s.api.core.v1.Secret': (value) => filled(encodeStringData(value), { type: 'Opaque' }),
  'io.k8s.api.core.v1.PersistentVolumeClaim': (value) => inStatus(value, { phase: 'Pending' }),
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec': (value) => filled(value, { volumeMode: 'Filesystem' }),
  'io.k8s.api.core.v1.PersistentVolume': (value) => inStatus(value, { phase: 'Pending' }),
  'io.k8s.api.core.v1.PersistentVolumeSpec': (value) =>
    filled(value, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
  'io.k8s.api.core.v1.Namespace': namespace,
  'io.k8s.api.core.v1.LimitRangeItem': limitRangeItem,
  'io.k8s.api.core.v1.NamespaceStatus': (value) => filled(value, { phase: 'Active' }),
  'io.k8s.api.core.v1.EndpointPort': (value) => filled(value, { protocol: 'TCP' }),
  'io.k8s.api.discovery.v1.EndpointPort': (value) => filled(value, { name: '', protocol: 'TCP' }),
  'io.k8s.api.rbac.v1.RoleBinding': roleBinding,
  'io.k8s.api.rbac.v1.ClusterRoleBinding': roleBinding,
  'io.k8s.api.rbac.v1.Subject': (value) =>
    value['kind'] === 'User' || value['kind'] === 'Group' ? filled(value, { apiGroup: rbacGroup }) : value,
  'io.k8s.api.networking.v1.NetworkPolicySpec': networkPolicy,
  'io.k8s.api.networking.v1.NetworkPolicyPort': (value) => filled(value, { protocol: 'TCP' }),
  'io.k8s.api.scheduling.v1.PriorityClass': (value) => filled(value, { preemptionPolicy: 'PreemptLowerPriority' }),
  'io.k8s.api.storage.v1.StorageClass': (value) =>
    filled(value, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'io.k8s.api.admissionregistration.v1.ValidatingWebhook': (value) => filled(value, webhook),
  'io.k8s.api.admissionregistration.v1.MutatingWebhook': (value) =>
    filled(value, { ...webhook, reinvocationPolicy: 'Never' }),
  'io.k8s.api.admissionregistration.v1.RuleWithOperations': (value) => filled(value, { scope: '*' }),
  'io.k8s.api.admissionregistration.v1.NamedRuleWithOperations': (value) => filled(value, { scope: '*' }),
  'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec': (value) =>
    filled(value, { failurePolicy: 'Fail' }),
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec': (value) =>
    filled(value, { failurePolicy: 'Fail' }),
  'io.k8s.api.admissionregistration.v1.MatchResources': (value) =>
    filled(value, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
  'io.k8s.api.admissionregistration.v1.ServiceReference': (value) => filled(value, { port: 443 }),
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition': customResourceDefinition,
};
