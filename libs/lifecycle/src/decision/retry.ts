import type { KubernetesObject } from '@ordinal/client';
import type { Announcement } from './decision.ts';

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

/** A value as an event shows it: without control characters. */
function shown(value: string): string {
  const plain = value.replace(/\p{Cc}/gu, '');
  return plain.length > shownLength ? `${plain.slice(0, shownLength - 1)}…` : plain;
}

/** How a user asks for what has failed to be tried again: by an annotation, of which each new value does so once. */
export interface Retries {
  /**
   * Whether a user asks for it. What is done about it has to be written together with `tokenOf`, in one write of the status: so it is done exactly once for each value, also
   * over a crash. That an annotation is taken away asks for nothing: who applies manifests prunes what they do not name. What stood there before something failed asks for
   * nothing either, nor does a value of more than 253 characters.
   */
  readonly isRequested: (object: Retryable) => boolean;
  /** The value that `status.retryToken` has from now on, 253 characters at most; undefined where none was ever asked for. */
  readonly tokenOf: (object: Retryable) => string | undefined;
  /** `tokenOf` as a part of the status. */
  readonly status: (object: Retryable) => { readonly retryToken?: string };
  /** The command that asks for a retry. `object` names the object as kubectl takes it: `-n shop kvs orders`. */
  readonly command: (object: string) => string;
  /** The event that says that a user has asked for a retry: in the reconcile that acts on it, with 64 characters of the value at most. */
  readonly events: (object: Retryable) => readonly Announcement[];
}

/** Retries that are asked for by this annotation. Give all kinds of an operator the same. */
export function retriesBy(annotation: string): Retries {
  const requestIn = ({ metadata: { annotations } }: Retryable): string | undefined =>
    bounded(annotations?.[annotation]);
  const tokenOf: Retries['tokenOf'] = (object) => requestIn(object) ?? bounded(object.status?.retryToken);
  const isRequested: Retries['isRequested'] = (object) => {
    const asked = requestIn(object);
    return asked !== undefined && asked !== object.status?.retryToken;
  };
  return {
    isRequested,
    tokenOf,
    status: (object) => {
      const retryToken = tokenOf(object);
      return retryToken === undefined ? {} : { retryToken };
    },
    command: (object) => `kubectl annotate ${object} ${annotation}="$(date +%s)" --overwrite`,
    events: (object) => {
      if (!isRequested(object)) return [];
      const note = `what has failed is tried again: ${annotation} is ${shown(requestIn(object) ?? '')}`;
      return [{ type: 'Normal', reason: 'RetryRequested', note }];
    },
  };
}
