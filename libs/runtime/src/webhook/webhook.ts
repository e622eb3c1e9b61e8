import type { KubernetesObject, KubernetesObjectInput, ResourceDescriptor } from '@ordinal/client';
import { deepFreeze } from '../cache/freeze.ts';
import { jsonPatchBetween } from './json-patch.ts';
import { allow, reviewReply } from './review.ts';
import type { AdmissionRequest, Verdict } from './review.ts';

/** What happens to requests that a webhook can't judge: `Fail` refuses them, `Ignore` lets them through. The configuration has to say the same. */
export type FailurePolicy = 'Fail' | 'Ignore';

/** One webhook: where it is served and what it does. */
export interface Webhook {
  /** Begins with a slash. */
  readonly path: string;
  readonly failurePolicy: FailurePolicy;
  /** How many requests of one address are judged at a time, and twice as many of all. By default as many as the server says. */
  readonly maxInFlight?: number;
  /** How long the configuration lets the API server wait, in milliseconds; a webhook that asks for more gets this. 10 s by default, which is the API's default. */
  readonly timeoutMs?: number;
  /** The verdict on a request that can't be judged: too many at a time, too late, or an error. By default what the failure policy says. */
  readonly undecided?: (request: AdmissionRequest, why: string) => Verdict;
  /** The reply to one request. */
  readonly review: (request: AdmissionRequest, signal: AbortSignal) => Promise<unknown>;
}

/** A webhook's place. */
export interface WebhookOptions {
  /** By default `/validate-` or `/mutate-` with group, version and kind. */
  readonly path?: string;
  /** `Fail` by default. */
  readonly failurePolicy?: FailurePolicy;
}

/** Judges requests for a kind. The signal is aborted shortly before the API server stops waiting. */
export type Validate<Read extends KubernetesObject> = (
  request: AdmissionRequest<Read>,
  signal: AbortSignal,
) => Verdict | Promise<Verdict>;

/** Returns the object as it is to be stored, or the one that it was given. */
export type Mutate<Read extends KubernetesObject> = (
  object: Read,
  request: AdmissionRequest<Read>,
) => Read | Promise<Read>;

/** A webhook that allows or denies. The function may be the one that the reconciler validates with. */
export function validating<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  descriptor: ResourceDescriptor<Read, Write>,
  validate: Validate<Read>,
  options: WebhookOptions = {},
): Webhook {
  return {
    path: options.path ?? pathOf('validate', descriptor),
    failurePolicy: options.failurePolicy ?? 'Fail',
    // The webhook's configuration sends only this kind here.
    review: async (request, signal) =>
      reviewReply(request.uid, await validate(deepFreeze(request) as AdmissionRequest<Read>, signal)),
  };
}

/** A webhook that changes objects: defaults, above all. */
export function mutating<Read extends KubernetesObject, Write extends KubernetesObjectInput>(
  descriptor: ResourceDescriptor<Read, Write>,
  mutate: Mutate<Read>,
  options: WebhookOptions = {},
): Webhook {
  return {
    path: options.path ?? pathOf('mutate', descriptor),
    failurePolicy: options.failurePolicy ?? 'Fail',
    review: async (request) => {
      const typed = deepFreeze(request) as AdmissionRequest<Read>; // The webhook's configuration sends only this kind here.
      if (typed.object === null) return reviewReply(request.uid, allow());
      return reviewReply(request.uid, allow(), jsonPatchBetween(typed.object, await mutate(typed.object, typed)));
    },
  };
}

function pathOf(verb: string, { group, version, kind }: ResourceDescriptor): string {
  return `/${verb}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}
