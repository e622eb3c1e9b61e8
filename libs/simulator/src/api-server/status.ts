import type { Status } from '@ordinal/client';
import type { ResourceAddress } from './request.ts';

/** Thrown inside the server to end a request; `execute` turns it into the reply. Nothing outside the server ever catches it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: Status;
  /** What the server had to warn of before it refused. */
  warnings: readonly string[] = [];

  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'refused');
    this.status = status;
  }
}

/** One thing that is wrong with a field. */
export interface FieldCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

interface StatusParts {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: Status['details'];
}

/** A failure in the API server's form. */
export function failure({ code, reason, message, details }: StatusParts): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details !== undefined && { details }),
    code,
  } as Status;
}

/** The kind as the server names it in messages: `statefulsets.apps`, or `pods` in the core group. */
export function qualifiedResource(resource: Pick<ResourceAddress, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

const detailsOf = (resource: ResourceAddress, name: string) => ({
  ...(name !== '' && { name }),
  ...(resource.group !== '' && { group: resource.group }),
  kind: resource.plural,
});

/** 404: there is no such object. */
export function notFound(resource: ResourceAddress, name: string): Refusal {
  return new Refusal(
    failure({
      code: 404,
      reason: 'NotFound',
      message: `${qualifiedResource(resource)} "${name}" not found`,
      details: detailsOf(resource, name),
    }),
  );
}

/** 409: the name is taken; `prefix` shows more. */
export function alreadyExists(resource: ResourceAddress, name: string, prefix = ''): Refusal {
  return new Refusal(
    failure({
      code: 409,
      reason: 'AlreadyExists',
      message: `${prefix}${qualifiedResource(resource)} "${name}" already exists`,
      details: detailsOf(resource, name),
    }),
  );
}

/** 409: the object is not as the request presumes. */
export function conflict(resource: ResourceAddress, name: string, cause: string): Refusal {
  return new Refusal(
    failure({
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${cause}`,
      details: detailsOf(resource, name),
    }),
  );
}

/** What the server says when an update's resourceVersion is not the stored one. */
export const modifiedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again';

/** 400. */
export function badRequest(message: string): Refusal {
  return new Refusal(failure({ code: 400, reason: 'BadRequest', message }));
}

/** 403 for reasons other than missing permissions. */
export function forbidden(resource: ResourceAddress, name: string, why: string): Refusal {
  const subject =
    name === ''
      ? `${qualifiedResource(resource)} is forbidden`
      : `${qualifiedResource(resource)} "${name}" is forbidden`;
  return new Refusal(
    failure({ code: 403, reason: 'Forbidden', message: `${subject}: ${why}`, details: detailsOf(resource, name) }),
  );
}

/** 422: fields are wrong. The message lists them as the server does. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  causes: readonly FieldCause[],
): Refusal {
  const texts = causes.map((cause) => (cause.field === '' ? cause.message : `${cause.field}: ${cause.message}`));
  const unique = [...new Set(texts)];
  const list = unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return new Refusal(
    failure({
      code: 422,
      reason: 'Invalid',
      message: `${subject} "${name}" is invalid${causes.length === 0 ? '' : `: ${list}`}`,
      details: {
        ...(name !== '' && { name }),
        ...(kind.group !== '' && { group: kind.group }),
        ...(kind.kind !== '' && { kind: kind.kind }),
        ...(causes.length > 0 && { causes }),
      },
    }),
  );
}

/** 410: the version asked for is no longer known. */
export function expired(message: string): Refusal {
  return new Refusal(failure({ code: 410, reason: 'Expired', message }));
}

const staleContinueMessage =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the ' +
  'continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - ' +
  'objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** 410: the list that a token continues is no longer known; another token goes on with what there is now. */
export function staleContinue(token: string): Refusal {
  const status = failure({ code: 410, reason: 'Expired', message: staleContinueMessage });
  const withToken: Status & { readonly metadata: object } = { ...status, metadata: { continue: token } };
  return new Refusal(withToken);
}

/** 404 for a path that nothing answers. */
export function pathNotFound(): Refusal {
  return new Refusal(
    failure({
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    }),
  );
}

/** 405: the kind does not know the verb. */
export function methodNotAllowed(resource: ResourceAddress, verb: string): Refusal {
  return new Refusal(
    failure({
      code: 405,
      reason: 'MethodNotAllowed',
      message: `${verb} is not supported on resources of kind "${qualifiedResource(resource)}"`,
      details: detailsOf(resource, ''),
    }),
  );
}

/** 415: the content type is not understood here. */
export function unsupportedMediaType(): Refusal {
  return new Refusal(
    failure({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
      details: {},
    }),
  );
}

/** 500. */
export function internalError(message: string): Refusal {
  return new Refusal(
    failure({
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    }),
  );
}

/** 500 without a reason: what the server did not foresee. */
export function unforeseen(message: string): Refusal {
  return new Refusal({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code: 500,
  } as Status);
}

/** 501: the simulation leaves this out, and says so instead of guessing. */
export function notSimulated(what: string): Refusal {
  return new Refusal(
    failure({ code: 501, reason: 'NotImplemented', message: `the simulated API server does not implement ${what}` }),
  );
}

/** 415 for a patch type that the kind does not take. */
export function unsupportedPatch(accepted: readonly string[]): Refusal {
  return new Refusal(
    failure({
      code: 415,
      reason: 'UnsupportedMediaType',
      message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    }),
  );
}

/** 413: there is more in the request than the server reads. */
export function tooLarge(what: string): Refusal {
  return new Refusal(
    failure({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${what}` }),
  );
}

/** 405: the address does not know the method. */
export function unknownMethod(): Refusal {
  return new Refusal(
    failure({
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
      details: {},
    }),
  );
}

/** 406: nothing that the client reads can be written. `details` are there where the address has no other form either. */
export function notAcceptable(message: string, details?: Status['details']): Refusal {
  return new Refusal(
    failure({ code: 406, reason: 'NotAcceptable', message, ...(details !== undefined && { details }) }),
  );
}

/** 504: the version asked for is still to come. */
export function versionToCome(asked: number, current: number): Refusal {
  return new Refusal(
    failure({
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    }),
  );
}

/** 429. */
export function tooManyRequests(message: string, details?: Status['details']): Refusal {
  return new Refusal(
    failure({ code: 429, reason: 'TooManyRequests', message, ...(details !== undefined && { details }) }),
  );
}
