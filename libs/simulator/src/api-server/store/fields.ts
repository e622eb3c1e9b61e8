import { badRequest } from '../status.ts';
import { isObject, ownField } from '../object.ts';
import type { StoredObject } from '../object.ts';
import type { ServerResource } from '../resources/resource.ts';
import type { JsonObject } from '../request.ts';
import { convertEvent } from '../resources/event-forms.ts';
import { fieldTerms } from './selectors.ts';

/** The fields beside name and namespace that built-in kinds can be selected by, with their value where it is absent. */
const selectable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pods: {
    'spec.nodeName': '',
    'spec.restartPolicy': '',
    'spec.schedulerName': '',
    'spec.serviceAccountName': '',
    'spec.hostNetwork': 'false',
    'status.phase': '',
    'status.podIP': '',
    'status.nominatedNodeName': '',
  },
  events: {
    'involvedObject.kind': '',
    'involvedObject.namespace': '',
    'involvedObject.name': '',
    'involvedObject.uid': '',
    'involvedObject.apiVersion': '',
    'involvedObject.resourceVersion': '',
    'involvedObject.fieldPath': '',
    reason: '',
    reportingComponent: '',
    source: '',
    type: '',
  },
  secrets: { type: '' },
  namespaces: { 'status.phase': '' },
  nodes: { 'spec.unschedulable': 'false' },
  services: { 'spec.clusterIP': '', 'spec.type': '' },
  'certificatesigningrequests.certificates.k8s.io': { 'spec.signerName': '' },
  'resourceslices.resource.k8s.io': { 'spec.driver': '', 'spec.nodeName': '' },
  'jobs.batch': { 'status.successful': '0' },
  'replicasets.apps': { 'status.replicas': '0' },
  replicationcontrollers: { 'status.replicas': '0' },
};

const renamed: Readonly<Record<string, string>> = { 'status.successful': 'status.succeeded' };

/** The fields of events by their names in the group `events.k8s.io`. */
const newEventFields: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [
      `regarding.${field}`,
      `involvedObject.${field}`,
    ]),
  ),
  reason: 'reason',
  reportingController: 'reportingComponent',
  type: 'type',
};

/** The fields that a kind can be selected by: what each is called in the store, and its value where it is absent. */
function knownFields({ storage, group }: ServerResource): Readonly<Record<string, string>> {
  return group === 'events.k8s.io' ? newEventFields : (ownField(fieldNames, storage) ?? {});
}

const fieldNames: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  Object.entries(selectable).map(([storage, fields]) => [
    storage,
    Object.fromEntries(Object.keys(fields).map((field) => [field, field])),
  ]),
);

/** Who reported an event: what it calls its source, or its controller where it has none. */
function sourceOf(event: unknown): unknown {
  const component = valueAt(event, 'source.component');
  return component === undefined || component === '' ? valueAt(event, 'reportingComponent') : component;
}

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const part of (ownField(renamed, path) ?? path).split('.')) {
    if (!isObject(value)) return undefined;
    value = ownField(value, part);
  }
  return value;
}

/** Pods and a few others have selectable fields of their own; other kinds say which there are. */
function refusal({ storage, custom }: ServerResource, field: string): string {
  if (custom) return `field label not supported: ${field}`;
  return Object.hasOwn(selectable, storage)
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** Whether an object is selected by a `fieldSelector` parameter. Refuses fields that the kind can't be selected by. */
export function fieldSelector(
  resource: ServerResource,
  text: string | undefined,
  custom: readonly string[] = [],
): (object: StoredObject) => boolean {
  const terms = fieldTerms(text).filter(({ field, value, equal }) => !(value === '' && equal && field === ''));
  if (terms.length === 0) return () => true;
  const known = knownFields(resource);
  const absent = ownField(selectable, resource.storage) ?? {};
  for (const { field } of terms)
    if (
      field !== 'metadata.name' &&
      field !== 'metadata.namespace' &&
      !Object.hasOwn(known, field) &&
      !custom.includes(field)
    )
      throw badRequest(refusal(resource, field));
  const read = (object: StoredObject): unknown =>
    resource.storage === 'events' && object.apiVersion !== 'v1'
      ? convertEvent(object as unknown as JsonObject, 'v1')
      : object;
  return (object) =>
    terms.every(({ field, equal, value }) => {
      const path = ownField(known, field) ?? field;
      const isSource = path === 'source' && resource.storage === 'events';
      const found = isSource ? sourceOf(read(object)) : valueAt(read(object), path);
      const text =
        found === undefined || found === null ? (ownField(absent, path) ?? '') : String(found as string | number);
      return (text === value) === equal;
    });
}
