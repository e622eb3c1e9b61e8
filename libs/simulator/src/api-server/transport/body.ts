import { isObject } from '../object.ts';
import { readProtobuf } from '../protobuf/envelope.ts';
import type { ApiRequest } from '../request.ts';
import type { Refusal } from '../status.ts';
import { badRequest, tooLarge, unsupportedPatch } from '../status.ts';
import { JsonTextError, bodySummary, jsonType, readJson } from './json-text.ts';
import { placesOf, repeatedFields } from './repeated-fields.ts';
import { readYamlText } from './yaml-text.ts';
import type { ReadBody } from './read-body.ts';

const acceptedTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const decoder = new TextDecoder();

/** Bodies longer than this are refused, as the server refuses them. */
export const bodyLimit = 3 * 1024 * 1024;

/** What a body has to be: by the verb of its request, its content type, and the kind of the object that is expected. */
export interface BodyForm {
  readonly verb: ApiRequest['verb'];
  readonly contentType: string;
  readonly kind: string;
  /** The apiVersion of a custom kind, whose objects have to say what they are; built-in ones need not. */
  readonly custom: string | undefined;
}

/**
 * Reads the body of a request. Refuses what can't be read with 400, what is too long with 413, and content types that are not understood with 415, in the
 * server's words. Only bytes are searched for fields that are given twice: a text comes from a client in this process, whose objects have each field once.
 */
export function readBody(body: string | Uint8Array, form: BodyForm): ReadBody {
  if (body.length > bodyLimit) throw tooLarge(`limit is ${bodyLimit}`);
  switch (form.verb) {
    case 'create':
    case 'update':
      return readObject(body, form);
    case 'patch':
      return readPatch(body, form);
    case 'apply':
      return readApplied(body);
    default:
      return readOptions(body, form);
  }
}

function readObject(body: string | Uint8Array, { contentType, kind, custom }: BodyForm): ReadBody {
  if (!acceptedTypes.includes(contentType)) throw unsupportedPatch(acceptedTypes);
  if (contentType === 'application/vnd.kubernetes.protobuf')
    return { value: readProtobuf(asBytes(body), kind), repeated: [] };
  const refused = (problem: string): Refusal =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): ${problem} (${bodySummary(body)})`);
  const read = contentType === 'application/yaml' ? readYaml(body, refused) : readText(body, refused);
  const problem = markProblem(read.value);
  if (problem !== undefined) throw refused(problem);
  const { apiVersion = '', kind: given = '' } = isObject(read.value) ? read.value : {};
  if (custom !== undefined && given === '')
    throw refused(`Object 'Kind' is missing in '${typeof body === 'string' ? body : decoder.decode(body)}'`);
  if (custom !== undefined && apiVersion === '')
    throw badRequest(`the API version in the data () does not match the expected API version (${custom})`);
  // Go reads null into nothing, and nothing is an object without fields.
  return read.value === null ? { value: {}, repeated: [] } : read;
}

function readText(body: string | Uint8Array, refused: (problem: string) => Refusal): ReadBody {
  try {
    const value = readJson(body);
    if (typeof body === 'string') return { value, repeated: [] };
    const text = decoder.decode(body);
    const repeated = repeatedFields(text, value);
    return { value, repeated, ...(repeated.length > 0 && { places: placesOf(text) }) };
  } catch (error) {
    if (error instanceof JsonTextError) throw refused(`${unreadable}${error.message}`);
    throw error;
  }
}

function readYaml(body: string | Uint8Array, refused: (problem: string) => Refusal): ReadBody {
  try {
    return readYamlText(typeof body === 'string' ? body : decoder.decode(body));
  } catch (error) {
    throw refused(`yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const unreadable = "couldn't get version/kind; json parse error: ";
/** Go's name for what it reads a version and kind into. */
const mark = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Why a value says no version and kind; undefined where it could. */
function markProblem(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) return `${unreadable}json: cannot unmarshal ${jsonType(value)} into Go value of type ${mark}`;
  for (const field of ['apiVersion', 'kind']) {
    const given = value[field];
    if (given !== undefined && given !== null && typeof given !== 'string')
      return `${unreadable}json: cannot unmarshal ${jsonType(given)} into Go struct field .${field} of type string`;
  }
  const { apiVersion } = value;
  return typeof apiVersion === 'string' && apiVersion.split('/').length > 2
    ? `unexpected GroupVersion string: ${apiVersion}`
    : undefined;
}

function readPatch(body: string | Uint8Array, { contentType }: BodyForm): ReadBody {
  // The library of strategic patches reads them itself, and its errors are passed on as they are.
  const isStrategic = contentType === 'application/strategic-merge-patch+json';
  const refused = (problem: string): Refusal => badRequest(isStrategic ? problem : `error decoding patch: ${problem}`);
  let value: unknown;
  try {
    value = readJson(body);
  } catch (error) {
    if (error instanceof JsonTextError) throw refused(error.message);
    throw error;
  }
  const isJsonPatch = contentType === 'application/json-patch+json';
  if (!isJsonPatch && !isObject(value) && value !== null)
    throw refused(`json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`);
  const isSearched = !isJsonPatch && typeof body !== 'string';
  return { value, repeated: isSearched ? repeatedFields(decoder.decode(body), value) : [] };
}

function readApplied(body: string | Uint8Array): ReadBody {
  const refused = (problem: string): Refusal => badRequest(`error decoding YAML: ${problem}`);
  let read: ReadBody;
  try {
    read = readYamlText(typeof body === 'string' ? body : decoder.decode(body));
  } catch (error) {
    throw refused(`error converting YAML to JSON: yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (read.value !== null && !isObject(read.value))
    throw refused(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType(read.value)} into Go value of type map[string]interface {}`,
    );
  return { ...read, value: read.value ?? {} };
}

/** The options of a deletion. */
function readOptions(body: string | Uint8Array, { contentType }: BodyForm): ReadBody {
  if (!acceptedTypes.includes(contentType)) throw unsupportedPatch(acceptedTypes);
  if (contentType === 'application/vnd.kubernetes.protobuf')
    return { value: readProtobuf(asBytes(body), 'DeleteOptions'), repeated: [] };
  const read = contentType === 'application/yaml' ? readYaml(body, badRequest) : readText(body, badRequest);
  const problem = markProblem(read.value);
  if (problem !== undefined) throw badRequest(problem);
  return { value: read.value ?? {}, repeated: [] };
}

const asBytes = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
