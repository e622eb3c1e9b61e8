import { applyPatch, Pointer } from 'rfc6902';
import type { Operation } from 'rfc6902';
import { isObject } from '../object.ts';
import { badRequest, failure, Refusal } from '../status.ts';

/** JSON patch (RFC 6902) on a copy of the object. Refuses with the server's words where it does not fit. */
export function jsonPatch(original: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  const copy: unknown = structuredClone(original);
  // The operations were checked to be a list; each is checked by the library.
  const operations = patch as Operation[];
  for (const operation of operations)
    if (applyPatch(copy, [lenient(copy, operation)]).some((error) => error !== null)) throw rejected();
  return copy;
}

/** The server's own library replaces a field that is not there, as if it had been told to add it. */
function lenient(document: unknown, operation: Operation): Operation {
  if (operation.op !== 'replace') return operation;
  const pointer = Pointer.fromJSON(operation.path);
  const { parent, value } = pointer.evaluate(document);
  return isObject(parent) && value === undefined ? { ...operation, op: 'add' } : operation;
}

const rejected = (): Refusal =>
  new Refusal(
    failure({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    }),
  );
