import { applyPatch } from 'rfc6902';
import type { Operation } from 'rfc6902';
import { failure, Refusal } from '../status.ts';
import { badRequest } from '../status.ts';

/** JSON patch (RFC 6902) on a copy of the object. Refuses with the server's words where it does not fit. */
export function jsonPatch(original: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  const copy: unknown = structuredClone(original);
  // The operations were checked to be a list; each is checked by the library.
  const operations = patch as Operation[];
  const failed = applyPatch(copy, operations).find((error) => error !== null);
  if (failed) {
    const index = operations.findIndex((operation) => operation === undefined);
    throw unprocessable(describe(failed, operations[index] ?? operations[0]));
  }
  return copy;
}

function describe(error: Error, operation: Operation | undefined): string {
  if (error.name === 'TestError' && operation !== undefined)
    return `testing value ${operation.path} failed: test failed`;
  return error.message;
}

const unprocessable = (cause: string): Refusal =>
  new Refusal(
    failure({
      code: 422,
      reason: 'Invalid',
      message: `the server rejected our request due to an error in our request: ${cause}`,
      details: {},
    }),
  );
