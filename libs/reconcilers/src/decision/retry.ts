import type { KubernetesObject } from '@ordinal/client';
import type { Announcement } from './decision.ts';

/** The annotation that has what has failed tried again at once: each new value does, once. One name and one meaning for all kinds. */
export const retryAnnotation = 'ordinal.dev/retry';

/** The name that it had when ClusteredCache alone had it; read where the other is not there. */
const formerAnnotation = 'cache.my.domain/retry-upgrade';

/** An object whose status keeps the last value that was acted on. */
export type Retryable = Pick<KubernetesObject, 'metadata'> & {
  readonly status?: { readonly retryToken?: string } | undefined;
};

const requestIn = ({ metadata: { annotations } }: Retryable): string | undefined =>
  annotations?.[retryAnnotation] ?? annotations?.[formerAnnotation];

/**
 * Whether a user asks for what has failed to be tried again. What is done about it has to be written together with `retryTokenOf`, in one write of the status: so it is
 * done exactly once for each value, also over a crash. That an annotation is taken away asks for nothing: who applies manifests prunes what they do not name. What
 * stood there before something failed asks for nothing either.
 */
export function isRetryRequested(object: Retryable): boolean {
  const asked = requestIn(object);
  return asked !== undefined && asked !== object.status?.retryToken;
}

/** The value that `status.retryToken` has from now on; undefined where none was ever asked for. */
export const retryTokenOf = (object: Retryable): string | undefined => requestIn(object) ?? object.status?.retryToken;

/** `retryTokenOf` as a part of the status. */
export function retryStatus(object: Retryable): { readonly retryToken?: string } {
  const retryToken = retryTokenOf(object);
  return retryToken === undefined ? {} : { retryToken };
}

/** The command that asks for a retry. `object` names the object as kubectl takes it: `-n shop kvs orders`. */
export const retryCommand = (object: string): string =>
  `kubectl annotate ${object} ${retryAnnotation}="$(date +%s)" --overwrite`;

/** The event that says that a user has asked for a retry: in the reconcile that acts on it. */
export function retryEvents(object: Retryable): readonly Announcement[] {
  if (!isRetryRequested(object)) return [];
  const note = `what has failed is tried again: ${retryAnnotation} is ${requestIn(object) ?? ''}`;
  return [{ type: 'Normal', reason: 'RetryRequested', note }];
}
