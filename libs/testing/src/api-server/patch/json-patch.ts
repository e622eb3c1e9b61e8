import { applyPatch } from 'rfc6902';
import type { Operation } from 'rfc6902';
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
  if (applyPatch(copy, operations).some((error) => error !== null)) throw rejected();
  return copy;
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
