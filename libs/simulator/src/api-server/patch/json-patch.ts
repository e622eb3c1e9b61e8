import { applyPatch, Pointer } from 'rfc6902';
import type { Operation } from 'rfc6902';
import { isObject } from '../object.ts';
import { badRequest, failure, notSimulated, Refusal, tooLarge } from '../status.ts';
import { jsonType } from '../transport/json-text.ts';

/** More operations than this are refused, and so is a patch whose copies come to more bytes than a request may have: both as the server does it. */
const maxOperations = 10_000;
const maxCopied = 3 * 1024 * 1024;

/** JSON patch (RFC 6902) on a copy of the object. Refuses with the server's words where it does not fit. */
export function jsonPatch(original: unknown, patch: unknown): unknown {
  const operations = operationsOf(patch);
  const copy: unknown = structuredClone(original);
  let copied = 0;
  for (const operation of operations) {
    if (operation.op === 'copy') {
      copied += JSON.stringify(Pointer.fromJSON(operation.from).evaluate(copy).value)?.length ?? 0;
      if (copied > maxCopied) throw rejected();
    }
    const fitting = lenient(copy, operation);
    if (fitting && applyPatch(copy, [fitting]).some((error) => error !== null)) throw rejected();
  }
  return copy;
}

function operationsOf(patch: unknown): readonly Operation[] {
  const refused = (value: unknown, type: string): Refusal =>
    badRequest(`error decoding patch: json: cannot unmarshal ${jsonType(value)} into Go value of type ${type}`);
  if (!Array.isArray(patch)) throw refused(patch, '[]handlers.jsonPatchOp');
  const strange: unknown = patch.find((operation: unknown) => !isObject(operation) && operation !== null);
  if (strange !== undefined) throw refused(strange, 'handlers.jsonPatchOp');
  if (patch.length > maxOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`);
  return patch.map(operationOf);
}

/** Fields that the library leaves alone, to keep the prototypes of objects out of reach. */
const unreachable = /(^|\/)(__proto__|constructor|prototype)(\/|$)/;

function operationOf(operation: unknown): Operation {
  if (!isObject(operation)) throw rejected();
  const { op, path, from } = operation;
  for (const pointer of [path, ...(op === 'copy' || op === 'move' ? [from] : [])]) {
    if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) throw rejected();
    if (unreachable.test(pointer))
      throw notSimulated('JSON patches of fields named __proto__, constructor or prototype');
  }
  // The library reports unknown operations and missing values.
  return operation as unknown as Operation;
}

/**
 * The operation as the server's own library (evanphx/json-patch) means it: it replaces a field that is not there as if the operation were add, copies
 * null from there, and finds null there. Undefined where nothing is left to do.
 */
function lenient(document: unknown, operation: Operation): Operation | undefined {
  if (operation.op === 'replace' && isAbsentField(document, operation.path)) return { ...operation, op: 'add' };
  if (operation.op === 'test' && operation.value === null && isAbsentField(document, operation.path)) return undefined;
  if (operation.op === 'copy' && isAbsentField(document, operation.from))
    return { op: 'add', path: operation.path, value: null };
  return operation;
}

function isAbsentField(document: unknown, path: string): boolean {
  const { parent, value } = Pointer.fromJSON(path).evaluate(document);
  return isObject(parent) && value === undefined;
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
