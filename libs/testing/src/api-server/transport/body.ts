import { parse } from 'yaml';
import { readProtobuf } from '../protobuf/envelope.ts';
import { badRequest, unsupportedPatch } from '../status.ts';

const acceptedTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const decoder = new TextDecoder();

/** The body of a request: JSON, or YAML or protobuf where the content type says so; `kind` is what should be in it. */
export function parseBody(body: string | Uint8Array, contentType: string, kind = 'JSON'): unknown {
  if (contentType === 'application/cbor') throw unsupportedPatch(acceptedTypes);
  if (contentType === 'application/vnd.kubernetes.protobuf')
    return readProtobuf(typeof body === 'string' ? Buffer.from(body, 'latin1') : body, kind);
  const text = typeof body === 'string' ? body : decoder.decode(body);
  try {
    // Most of what calls itself YAML is JSON, which parses a hundred times faster.
    if (!contentType.endsWith('yaml') || text.startsWith('{')) return JSON.parse(text) as unknown;
  } catch (error) {
    if (!contentType.endsWith('yaml'))
      throw badRequest(
        `the object provided is unrecognized (must be of type JSON): ${error instanceof Error ? error.message : String(error)}`,
      );
  }
  try {
    return parse(text) as unknown;
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
