import { BinaryReader } from '@bufbuild/protobuf/wire';
import schemas from '../../builtin/schemas.json' with { type: 'json' };
import type { JsonObject } from '../request.ts';
import { Refusal, badRequest, unsupportedPatch } from '../status.ts';
import { bodySummary } from '../transport/json-text.ts';
import { hasMessage, readMessage } from './messages.ts';

interface Mark {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What every object in protobuf begins with. */
const magic = Buffer.from('k8s\0', 'latin1');
const deleteOptions = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

const definitions: ReadonlyMap<string, string> = new Map(
  // The dump is our own: its form is that of OpenAPI.
  Object.entries(schemas as unknown as Readonly<Record<string, Readonly<Record<string, readonly Mark[] | undefined>>>>)
    .filter(([name]) => hasMessage(name))
    .flatMap(([name, schema]) =>
      (schema['x-kubernetes-group-version-kind'] ?? []).map(
        ({ group, version, kind }) => [`${group === '' ? '' : `${group}/`}${version} ${kind}`, name] as const,
      ),
    ),
);

/**
 * The object in a body of the type `application/vnd.kubernetes.protobuf`, in the form of JSON: an envelope (`runtime.Unknown`) that names the kind, and the
 * message of that kind. Refuses what is none with 400 (`expected` is the kind that should be there), and kinds that have no form in protobuf, such as custom ones, with 415.
 */
export function readProtobuf(body: Uint8Array, expected: string): JsonObject {
  const bytes = Buffer.from(body);
  const refused = (problem: string): Refusal =>
    badRequest(`the object provided is unrecognized (must be of type ${expected}): ${problem} (${bodySummary(bytes)})`);
  if (!magic.equals(bytes.subarray(0, magic.length)))
    throw refused('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  if (bytes.length === magic.length) throw refused('empty body');
  try {
    const { apiVersion, kind, raw } = readEnvelope(bytes.subarray(magic.length));
    const definition = kind === 'DeleteOptions' ? deleteOptions : definitions.get(`${apiVersion} ${kind}`);
    if (definition === undefined) throw unsupportedPatch(['application/json', 'application/yaml']);
    return { apiVersion, kind, ...readMessage(definition, raw) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // The reader throws plain errors where the bytes end too soon or make no sense.
    const problem = error instanceof Error ? error.message : String(error);
    throw refused(problem === 'premature EOF' ? 'unexpected EOF' : `proto: ${problem}`);
  }
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const parts = textsOf(bytes);
  const [, typeMeta, raw] = parts;
  const [, apiVersion, kind] = textsOf(typeMeta ?? new Uint8Array());
  const text = (part: Uint8Array | undefined): string => Buffer.from(part ?? []).toString('utf8');
  return { apiVersion: text(apiVersion), kind: text(kind), raw: raw ?? new Uint8Array() };
}

/** The fields of a message that has nothing but texts and messages, by their numbers. */
function textsOf(bytes: Uint8Array): readonly (Uint8Array | undefined)[] {
  const reader = new BinaryReader(bytes);
  const fields: (Uint8Array | undefined)[] = [];
  while (reader.pos < reader.len) {
    const [number] = reader.tag();
    fields[number] = reader.bytes();
  }
  return fields;
}
