import type { KubernetesObject } from '@ordinal/client';
import type { Announcement } from './decision.ts';

/** The annotation that has what has failed tried again at once: each new value does, once. One name and one meaning for all kinds. */
export const retryAnnotation = 'ordinal.dev/retry';

/** An object whose status keeps the last value that was acted on. */
export type Retryable = Pick<KubernetesObject, 'metadata'> & {
  readonly status?: { readonly retryToken?: string } | undefined;
};

/** How long a value may be, in characters: it is kept in the status, where the API server refuses more. */
const maxLength = 253;

/** How much of a value an event shows, in characters. */
const shownLength = 64;

/** A value that is too long counts as none: also one that an earlier version has kept, with which the API server would refuse the whole status. */
const bounded = (value: string | undefined): string | undefined =>
  value !== undefined && value.length <= maxLength ? value : undefined;

const requestIn = ({ metadata: { annotations } }: Retryable): string | undefined =>
  bounded(annotations?.[retryAnnotation]);

/** A value as an event shows it: without control characters. */
function shown(value: string): string {
  const plain = value.replace(/\p{Cc}/gu, '');
  return plain.length > shownLength ? `${plain.slice(0, shownLength - 1)}…` : plain;
}

/**
 * Whether a user asks for what has failed to be tried again. What is done about it has to be written together with `retryTokenOf`, in one write of the status: so it is
 * done exactly once for each value, also over a crash. That an annotation is taken away asks for nothing: who applies manifests prunes what they do not name. What
 * stood there before something failed asks for nothing either, nor does a value of more than 253 characters.
 */
export function isRetryRequested(object: Retryable): boolean {
  const asked = requestIn(object);
  return asked !== undefined && asked !== object.status?.retryToken;
}

/** The value that `status.retryToken` has from now on, 253 characters at most; undefined where none was ever asked for. */
export const retryTokenOf = (object: Retryable): string | undefined =>
  requestIn(object) ?? bounded(object.status?.retryToken);

/** `retryTokenOf` as a part of the status. */
export function retryStatus(object: Retryable): { readonly retryToken?: string } {
  const retryToken = retryTokenOf(object);
  return retryToken === undefined ? {} : { retryToken };
}

/** The command that asks for a retry. `object` names the object as kubectl takes it: `-n shop kvs orders`. */
export const retryCommand = (object: string): string =>
  `kubectl annotate ${object} ${retryAnnotation}="$(date +%s)" --overwrite`;

/** The event that says that a user has asked for a retry: in the reconcile that acts on it, with 64 characters of the value at most. */
export function retryEvents(object: Retryable): readonly Announcement[] {
  if (!isRetryRequested(object)) return [];
  const note = `what has failed is tried again: ${retryAnnotation} is ${shown(requestIn(object) ?? '')}`;
  return [{ type: 'Normal', reason: 'RetryRequested', note }];
}
