import type { WebhookAnswer } from '../admission/steps.ts';
import { newMetadataCauses } from '../kinds/metadata-rules.ts';
import { part, without } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';

/** What was asked: the object, the version that is wanted, and the uid of the review. */
export interface Asked {
  readonly object: JsonObject;
  readonly version: string;
  readonly uid: string;
}

/** The converted object, or what is wrong with the answer in the server's words. */
export type Converted = { readonly object: JsonObject } | { readonly problem: string };

/** Reads the answer of a conversion webhook. The converted object keeps the metadata of the original, but for labels and annotations. */
export function convertedOf(answer: WebhookAnswer, asked: Asked): Converted {
  if ('failed' in answer) return { problem: `failed: ${answer.failed}` };
  const refused = problemOf(answer.review, asked.uid);
  if (refused !== undefined) return { problem: `failed: ${refused}` };
  const { convertedObjects } = part(answer.review, 'response');
  const objects: readonly unknown[] = Array.isArray(convertedObjects) ? convertedObjects : [];
  if (objects.length !== 1) return { problem: `returned ${objects.length} objects, expected 1` };
  const [object] = objects;
  if (!isObject(object)) return { problem: 'returned invalid object at index 0: it is no object' };
  const problem = typeProblem(object, asked) ?? identityProblem(object, asked.object);
  return problem === undefined ? withMetadata(object, asked.object) : { problem };
}

function problemOf({ apiVersion, kind, response }: JsonObject, uid: string): string | undefined {
  if (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'ConversionReview')
    return `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${String(apiVersion)}, Kind=${String(kind)}`;
  if (!isObject(response)) return 'no response provided';
  if (response['uid'] !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`;
  const { status = '', message } = part(response, 'result');
  if (status === 'Success') return undefined;
  return typeof message === 'string' && message !== ''
    ? message
    : `response.result.status was '${String(status)}', not 'Success'`;
}

function typeProblem(object: JsonObject, { object: original, version }: Asked): string | undefined {
  const wrong = (what: string, expected: unknown, received: unknown): string =>
    `returned invalid object at index 0: invalid ${what} (expected ${String(expected)}, received ${String(received)})`;
  if (object['apiVersion'] !== version) return wrong('groupVersion', version, object['apiVersion']);
  return object['kind'] === original['kind'] ? undefined : wrong('kind', original['kind'], object['kind']);
}

const identity = { name: 'name', namespace: 'namespace', uid: 'UID' } as const;

function identityProblem(object: JsonObject, original: JsonObject): string | undefined {
  const [given, wanted] = [part(object, 'metadata'), part(original, 'metadata')];
  for (const [field, words] of Object.entries(identity)) {
    const [was, is] = [String(wanted[field] ?? ''), String(given[field] ?? '')];
    if (was !== is) return `returned invalid object: must have the same ${words}: ${was} != ${is}`;
  }
  return undefined;
}

function withMetadata(object: JsonObject, original: JsonObject): Converted {
  const { metadata: given } = object;
  const invalid = (why: string): Converted => ({ problem: `returned invalid metadata: ${why}` });
  if (given === undefined) return invalid('missing metadata in converted object');
  const metadata = { ...without(part(original, 'metadata'), 'labels', 'annotations') };
  for (const field of ['labels', 'annotations']) {
    const map = part(object, 'metadata')[field];
    if (map === undefined || map === null) continue;
    if (!isObject(map)) return invalid(`invalid metadata.${field} of type ${goType(map)} in converted object`);
    for (const [key, value] of Object.entries(map))
      if (typeof value !== 'string')
        return invalid(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`);
    metadata[field] = map;
  }
  const converted = { ...object, metadata };
  const causes = newMetadataCauses(converted, () => []).filter(({ field }) => /labels|annotations/.test(field));
  return causes[0] === undefined ? { object: converted } : invalid(`${causes[0].field}: ${causes[0].message}`);
}

/** The type of a JSON value, as Go prints it. */
function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
