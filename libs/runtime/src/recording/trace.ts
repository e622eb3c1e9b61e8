import type { Instant } from '@ordinal/client';
import { kindName } from '../cache/key.ts';
import type { NotedRequest } from './notes.ts';
import type { Slot } from './slot.ts';

/** A request of a reconcile to the API server: where it went and how it ended, without what it said. */
export interface TracedRequest {
  readonly method: string;
  /** The API path without its query. */
  readonly path: string;
  readonly at: Instant;
  readonly endedAt: Instant;
  /** Undefined where no reply came. */
  readonly status: number | undefined;
}

/** One reconcile, for a trace. It has no content of objects, of replies or of errors: nothing that may be a secret. */
export interface ReconcileTrace {
  readonly controller: string;
  /** The kind of the resource, its place, and the generation that was seen; undefined where it was not there. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number | undefined;
  readonly at: Instant;
  readonly endedAt: Instant;
  /** `CutOff`: it was ended from outside, by a time-out or because the operator stopped. */
  readonly outcome: 'Done' | 'Failed' | 'CutOff';
  /** The name of the error that it failed with. */
  readonly error: string | undefined;
  /** How many times in a row it had failed before. */
  readonly failures: number;
  readonly requeueAfterMs: number | undefined;
  /** How many decisions were made, and how many questions were asked of members and of services outside. */
  readonly decisions: number;
  readonly answers: number;
  readonly requests: readonly TracedRequest[];
}

/** What a trace shows of a reconcile that a `FlightRecorder` has noted. Pure. */
export function traceOf({ definition, key, at, tookMs, failures, result, cutOff, notes }: Slot): ReconcileTrace {
  const { name: controller, primary } = definition;
  const { seen, decisions, answers, requests } = notes.sorted();
  const own = kindName(primary);
  const resource = seen
    .filter(({ kind }) => kind === own)
    .flatMap(({ objects }) => objects)
    .find(({ metadata }) => metadata.name === key.name && (metadata.namespace ?? '') === key.namespace);
  const failed = result.error === undefined ? 'Done' : 'Failed';
  const requestOf = ({ method, path, sentMs, repliedMs, status }: NotedRequest): TracedRequest => ({
    ...{ method, path: path.split('?')[0] ?? '', at: at + sentMs, endedAt: at + (repliedMs ?? sentMs), status },
  });
  return {
    ...{ controller, kind: primary.kind, namespace: key.namespace, name: key.name },
    generation: resource?.metadata.generation,
    ...{ at, endedAt: at + tookMs, outcome: cutOff ? 'CutOff' : failed },
    error: result.error instanceof Error ? result.error.name : undefined,
    ...{ failures, requeueAfterMs: result.requeueAfterMs },
    ...{ decisions: decisions.length, answers: answers.length },
    requests: requests.map(requestOf),
  };
}
