import type { AdmissionRequest } from './review.ts';

type Fields = Readonly<Record<string, unknown>>;

const operations: ReadonlySet<unknown> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
/** The API server's are UUIDs; they come back in the answer. */
const longestUid = 128;

/**
 * Reads a request, and looks at each field of it that the API server always sends: anyone who reaches the port can send others. Throws a `TypeError` for a body that is no
 * AdmissionReview of version 1, and one that names the field for one whose request has something else in it than the API says. What is inside of an object is
 * not looked at, but its `metadata`.
 */
export function readReview(body: Uint8Array | string): AdmissionRequest {
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
  const review: unknown = JSON.parse(text);
  if (!isFields(review) || review['apiVersion'] !== 'admission.k8s.io/v1' || !isFields(review['request']))
    throw new TypeError('the body is no AdmissionReview of admission.k8s.io/v1');
  const { request } = review;
  const { uid } = request;
  must('uid', typeof uid === 'string' && uid.length <= longestUid);
  must('operation', operations.has(request['operation']));
  for (const field of ['kind', 'resource'])
    must(field, hasTexts(request[field], ['group', 'version', field]), 'is group, version and name');
  for (const field of ['subResource', 'name', 'namespace']) must(field, isText(request[field]));
  must('dryRun', request['dryRun'] === undefined || typeof request['dryRun'] === 'boolean');
  must('userInfo', isUser(request['userInfo']), 'is a user');
  for (const field of ['object', 'oldObject']) must(field, isObject(request[field]), 'is an object of Kubernetes');
  // Each field has just been looked at. The API server leaves out what there is not, and readers are promised null.
  return { object: null, oldObject: null, ...request } as unknown as AdmissionRequest;
}

function must(field: string, is: boolean, what = 'is not what it has to be'): void {
  if (!is) throw new TypeError(`request.${field} of the AdmissionReview ${what}`);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return isFields(value) && names.every((name) => typeof value[name] === 'string');
}

function isTexts(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((text) => typeof text === 'string'));
}

function isUser(value: unknown): boolean {
  if (!isFields(value) || !isText(value['username']) || !isText(value['uid']) || !isTexts(value['groups']))
    return false;
  const { extra } = value;
  return extra === undefined || (isFields(extra) && Object.values(extra).every(isTexts));
}

function isObject(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (!isFields(value) || !isFields(value['metadata'])) return false;
  const { name, namespace, uid, resourceVersion, deletionTimestamp, labels, annotations } = value['metadata'];
  return (
    [name, namespace, uid, resourceVersion, deletionTimestamp].every(isText) &&
    [labels, annotations].every((map) => map === undefined || (isFields(map) && Object.values(map).every(isText)))
  );
}
