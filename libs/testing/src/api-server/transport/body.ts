import { parse } from 'yaml';
import { badRequest, unsupportedPatch } from '../status.ts';

const decoder = new TextDecoder();

/** The body of a request: JSON, or YAML where the content type says so. */
export function parseBody(body: string | Uint8Array, contentType: string): unknown {
  if (contentType === 'application/vnd.kubernetes.protobuf' || contentType === 'application/cbor')
    throw unsupportedPatch(['application/json', 'application/yaml']);
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
