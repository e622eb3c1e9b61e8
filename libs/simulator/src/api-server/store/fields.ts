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
  'jobs.batch': { 'status.successful': '0' },
  'replicasets.apps': { 'status.replicas': '0' },
  replicationcontrollers: { 'status.replicas': '0' },
};

const renamed: Readonly<Record<string, string>> = {
  'status.successful': 'status.succeeded',
  source: 'source.component',
};

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
  const known = ownField(selectable, resource.storage) ?? {};
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
      const found = valueAt(read(object), field);
      const text =
        found === undefined || found === null ? (ownField(known, field) ?? '') : String(found as string | number);
      return (text === value) === equal;
    });
}
