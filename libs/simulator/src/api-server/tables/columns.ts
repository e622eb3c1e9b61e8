import type { Instant } from '@ordinal/client';
import { items, part, specOf } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import { convertEvent } from '../resources/event-forms.ts';
import type { ServerResource } from '../resources/resource.ts';
import { selectorText } from '../subresources/scale-form.ts';
import { humanDuration } from './age.ts';
import { age, ageColumn, count, integer, metadata, nameColumn, none, podPart, status, text } from './column.ts';
import type { Column } from './column.ts';
import { findByPath } from './json-path.ts';
import { networkColumns } from './network-columns.ts';
import { otherColumns } from './other-columns.ts';

const ready = (object: JsonObject, total: unknown): string =>
  `${count(status(object)['readyReplicas'])}/${count(total)}`;

/** The state of a pod in a word, as `kubectl get pods` shows it. */
function podState(pod: JsonObject): string {
  const { phase, reason } = status(pod);
  let state = String(reason ?? phase ?? 'Unknown');
  for (const container of items(status(pod)['containerStatuses'])) {
    const waiting = part(part(container, 'state'), 'waiting')['reason'];
    const terminated = part(part(container, 'state'), 'terminated');
    if (waiting) state = String(waiting);
    else if (terminated['reason']) state = String(terminated['reason']);
    else if (terminated['exitCode'] !== undefined) state = `ExitCode:${String(terminated['exitCode'])}`;
  }
  return metadata(pod)['deletionTimestamp'] === undefined ? state : 'Terminating';
}

function podReady(pod: JsonObject): string {
  const statuses = items(status(pod)['containerStatuses']);
  return `${statuses.filter((container) => container['ready'] === true).length}/${items(specOf(pod)['containers']).length}`;
}

const restarts = (pod: JsonObject): string =>
  String(items(status(pod)['containerStatuses']).reduce((sum, container) => sum + count(container['restartCount']), 0));

const ports = (service: JsonObject): string =>
  items(specOf(service)['ports'])
    .map(
      ({ port, nodePort, protocol }) =>
        `${String(port)}${nodePort === undefined ? '' : `:${String(nodePort)}`}/${String(protocol)}`,
    )
    .join(',') || '<none>';

function jobState(job: JsonObject): string {
  const is = (type: string): boolean =>
    items(status(job)['conditions']).some((entry) => entry['type'] === type && entry['status'] === 'True');
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (metadata(job)['deletionTimestamp'] !== undefined) return 'Terminating';
  return is('Suspended') ? 'Suspended' : 'Running';
}

function jobDuration(job: JsonObject, now: Instant): string {
  const { startTime, completionTime } = status(job);
  if (typeof startTime !== 'string') return '';
  return humanDuration((typeof completionTime === 'string' ? Date.parse(completionTime) : now) - Date.parse(startTime));
}

const nodeInfo = (node: JsonObject, field: string): string =>
  String((part(status(node), 'nodeInfo')[field] as string | undefined) ?? '');

const nodeAddress = (node: JsonObject, type: string): string =>
  String(items(status(node)['addresses']).find((entry) => entry['type'] === type)?.['address'] ?? '<none>');

function nodeState(node: JsonObject): string {
  const isReady = items(status(node)['conditions']).find(({ type }) => type === 'Ready')?.['status'];
  const state = isReady === undefined ? 'Unknown' : isReady === 'True' ? 'Ready' : 'NotReady';
  return specOf(node)['unschedulable'] === true ? `${state},SchedulingDisabled` : state;
}

/** Kinds without columns of their own show when they were created. */
const createdColumn: Column = {
  name: 'Created At',
  type: 'date',
  priority: 0,
  cell: (object) => metadata(object)['creationTimestamp'],
};

const subjects = (binding: JsonObject, kind: string): string =>
  items(binding['subjects'])
    .filter((subject) => subject['kind'] === kind)
    .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${String(namespace)}/${String(name)}` : String(name)))
    .join(', ');

const bindingColumns: readonly Column[] = [
  text('Role', (binding) => {
    const { kind, name } = part(binding, 'roleRef');
    return `${String(kind)}/${String(name)}`;
  }),
  ageColumn,
  text('Users', (binding) => subjects(binding, 'User'), 1),
  text('Groups', (binding) => subjects(binding, 'Group'), 1),
  text('ServiceAccounts', (binding) => subjects(binding, 'ServiceAccount'), 1),
];

/** The columns of built-in kinds between the name and the age. `undefined` for the age's own place. */
const columns: Readonly<Record<string, readonly Column[]>> = {
  ...networkColumns,
  ...otherColumns,
  pods: [
    text('Ready', podReady),
    text('Status', podState),
    text('Restarts', restarts),
    ageColumn,
    text('IP', (pod) => none(status(pod)['podIP']), 1),
    text('Node', (pod) => none(specOf(pod)['nodeName']), 1),
    text('Nominated Node', (pod) => none(status(pod)['nominatedNodeName']), 1),
    text('Readiness Gates', () => '<none>', 1),
  ],
  'statefulsets.apps': [text('Ready', (set) => ready(set, specOf(set)['replicas'])), ageColumn, ...podPart],
  'deployments.apps': [
    text('Ready', (set) => ready(set, specOf(set)['replicas'])),
    text('Up-to-date', (set) => count(status(set)['updatedReplicas'])),
    text('Available', (set) => count(status(set)['availableReplicas'])),
    ageColumn,
    ...podPart,
    text('Selector', (set) => selectorText(specOf(set)['selector']), 1),
  ],
  'replicasets.apps': [
    integer('Desired', (set) => count(specOf(set)['replicas'])),
    integer('Current', (set) => count(status(set)['replicas'])),
    integer('Ready', (set) => count(status(set)['readyReplicas'])),
    ageColumn,
    ...podPart,
    text('Selector', (set) => selectorText(specOf(set)['selector']), 1),
  ],
  replicationcontrollers: [
    integer('Desired', (set) => count(specOf(set)['replicas'])),
    integer('Current', (set) => count(status(set)['replicas'])),
    integer('Ready', (set) => count(status(set)['readyReplicas'])),
    ageColumn,
    ...podPart,
    text('Selector', (set) => selectorText({ matchLabels: specOf(set)['selector'] }), 1),
  ],
  'jobs.batch': [
    text('Status', jobState),
    text('Completions', (job) => `${count(status(job)['succeeded'])}/${count(specOf(job)['completions'] ?? 1)}`),
    text('Duration', jobDuration),
    ageColumn,
    ...podPart,
    text('Selector', (job) => selectorText(specOf(job)['selector']), 1),
  ],
  services: [
    text('Type', (service) => specOf(service)['type']),
    text('Cluster-IP', (service) => none(specOf(service)['clusterIP'])),
    text('External-IP', (service) => none(specOf(service)['externalName'])),
    text('Port(s)', ports),
    ageColumn,
    text('Selector', (service) => none(selectorText({ matchLabels: part(specOf(service), 'selector') })), 1),
  ],
  persistentvolumeclaims: [
    text('Status', (claim) =>
      metadata(claim)['deletionTimestamp'] === undefined ? status(claim)['phase'] : 'Terminating',
    ),
    text('Volume', (claim) => specOf(claim)['volumeName'] ?? ''),
    text('Capacity', (claim) => part(status(claim), 'capacity')['storage'] ?? ''),
    text('Access Modes', (claim) => accessModes(status(claim)['accessModes'])),
    text('StorageClass', (claim) => specOf(claim)['storageClassName'] ?? ''),
    text('VolumeAttributesClass', (claim) => specOf(claim)['volumeAttributesClassName'] ?? '<unset>'),
    ageColumn,
    text('VolumeMode', (claim) => specOf(claim)['volumeMode'], 1),
  ],
  namespaces: [text('Status', (namespace) => status(namespace)['phase']), ageColumn],
  nodes: [
    text('Status', nodeState),
    text('Roles', () => '<none>'),
    ageColumn,
    text('Version', (node) => nodeInfo(node, 'kubeletVersion')),
    text('Internal-IP', (node) => nodeAddress(node, 'InternalIP'), 1),
    text('External-IP', (node) => nodeAddress(node, 'ExternalIP'), 1),
    text('OS-Image', (node) => nodeInfo(node, 'osImage') || '<unknown>', 1),
    text('Kernel-Version', (node) => nodeInfo(node, 'kernelVersion') || '<unknown>', 1),
    text('Container-Runtime', (node) => nodeInfo(node, 'containerRuntimeVersion') || '<unknown>', 1),
  ],
  persistentvolumes: [
    text('Capacity', (volume) => part(specOf(volume), 'capacity')['storage'] ?? ''),
    text('Access Modes', (volume) => accessModes(specOf(volume)['accessModes'])),
    text('Reclaim Policy', (volume) => specOf(volume)['persistentVolumeReclaimPolicy']),
    text('Status', (volume) =>
      metadata(volume)['deletionTimestamp'] === undefined ? status(volume)['phase'] : 'Terminating',
    ),
    text('Claim', (volume) => {
      const { namespace, name } = part(specOf(volume), 'claimRef');
      return name === undefined ? '' : `${String(namespace)}/${String(name)}`;
    }),
    text('StorageClass', (volume) => specOf(volume)['storageClassName'] ?? ''),
    text('VolumeAttributesClass', (volume) => specOf(volume)['volumeAttributesClassName'] ?? '<unset>'),
    text('Reason', (volume) => status(volume)['reason'] ?? ''),
    ageColumn,
    text('VolumeMode', (volume) => specOf(volume)['volumeMode'], 1),
  ],
  'roles.rbac.authorization.k8s.io': [createdColumn],
  'clusterroles.rbac.authorization.k8s.io': [createdColumn],
  'rolebindings.rbac.authorization.k8s.io': bindingColumns,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingColumns,
  configmaps: [
    text('Data', (map) => Object.keys(part(map, 'data')).length + Object.keys(part(map, 'binaryData')).length),
    ageColumn,
  ],
  secrets: [
    text('Type', (secret) => secret['type']),
    text('Data', (secret) => Object.keys(part(secret, 'data')).length),
    ageColumn,
  ],
  'poddisruptionbudgets.policy': [
    text('Min Available', (budget) => String(specOf(budget)['minAvailable'] ?? 'N/A')),
    text('Max Unavailable', (budget) => String(specOf(budget)['maxUnavailable'] ?? 'N/A')),
    integer('Allowed Disruptions', (budget) => count(status(budget)['disruptionsAllowed'])),
    ageColumn,
  ],
  'leases.coordination.k8s.io': [text('Holder', (lease) => specOf(lease)['holderIdentity'] ?? ''), ageColumn],
  'controllerrevisions.apps': [
    text('Controller', (revision) => {
      const owner = items(metadata(revision)['ownerReferences']).find(({ controller }) => controller === true);
      return owner === undefined ? '<none>' : `${String(owner['kind']).toLowerCase()}.apps/${String(owner['name'])}`;
    }),
    text('Revision', (revision) => revision['revision']),
    ageColumn,
  ],
};

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const accessModes = (value: unknown): string =>
  Array.isArray(value) ? value.map((mode) => modes[String(mode)] ?? '').join(',') : '';

/** Events of `events.k8s.io` have other names for what the columns show. */
const coreForm = (event: JsonObject): JsonObject => ('regarding' in event ? convertEvent(event, 'v1') : event);

const lastSeen = (event: JsonObject): unknown => {
  const { firstTimestamp, lastTimestamp, eventTime } = coreForm(event);
  return part(event, 'series')['lastObservedTime'] ?? lastTimestamp ?? firstTimestamp ?? eventTime;
};

function objectOf(event: JsonObject): string {
  const { kind, name } = part(coreForm(event), 'involvedObject');
  return `${String(kind).toLowerCase()}/${String(name)}`;
}

const eventColumns: readonly Column[] = [
  text('Last Seen', (event, now) => age(lastSeen(event), now)),
  text('Type', (event) => event['type']),
  text('Reason', (event) => event['reason']),
  text('Object', objectOf),
  text('Message', (event) => coreForm(event)['message']),
];

function customColumns(declared: readonly JsonObject[]): readonly Column[] {
  if (declared.length === 0) return [nameColumn, { ...ageColumn, type: 'date' }];
  const own = declared.map((column): Column => ({
    name: String(column['name']),
    type: String(column['type']),
    ...(typeof column['format'] === 'string' && { format: column['format'] }),
    ...(typeof column['description'] === 'string' && { description: column['description'] }),
    priority: Number(column['priority'] ?? 0),
    cell: (object, now) => customCell(column, object, now),
  }));
  return [nameColumn, ...own];
}

function customCell(column: JsonObject, object: JsonObject, now: Instant): unknown {
  // The server shows the first of what is found, and no more.
  const [value] = findByPath(object, String(column['jsonPath']));
  if (value === undefined) return null;
  switch (column['type']) {
    case 'integer':
      return Number(value);
    case 'number':
      return Number(value);
    case 'boolean':
      return value;
    case 'date':
      return age(value, now);
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** The columns of a kind's table. */
export function columnsOf(resource: ServerResource): readonly Column[] {
  if (resource.custom) return customColumns(resource.printColumns ?? []);
  if (resource.storage === 'events') return eventColumns;
  if (resource.plural === 'customresourcedefinitions') return [nameColumn, createdColumn];
  return [nameColumn, ...(columns[resource.storage] ?? [ageColumn])];
}
