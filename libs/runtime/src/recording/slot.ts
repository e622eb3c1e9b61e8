import type { Instant, KubernetesObject, ObjectKey, ResourceDescriptor } from '@ordinal/client';

/** A request under way, with the parts of its reply that have come. */
export interface NotedRequest {
  readonly method: string;
  readonly path: string;
  readonly at: Instant;
  /** When the reply began, or was known not to come. */
  repliedAt?: Instant;
  status?: number;
  readonly chunks: Uint8Array[];
  bytes: number;
  error?: unknown;
}

/** An answer as it came. */
interface NotedAnswer {
  readonly of: string;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** What is noted of a reconcile while it runs: references alone, so that it costs next to nothing. Objects of caches are frozen, and decisions are not changed. */
export interface Slot {
  readonly controller: string;
  /** The kind that the controller is for. */
  readonly primary: ResourceDescriptor;
  /** The time, which is not noted. */
  readonly now: () => Instant;
  readonly key: ObjectKey;
  readonly at: Instant;
  readonly failures: number;
  readonly restoredAt: Instant | undefined;
  readonly asked: Asked[];
  readonly seen: { readonly kind: string; readonly objects: readonly KubernetesObject[] }[];
  readonly counted: (readonly [string, string, string, number])[];
  readonly times: Instant[];
  readonly random: number[];
  readonly requests: NotedRequest[];
  readonly answers: NotedAnswer[];
  readonly decisions: object[];
  tookMs: number;
  result: { readonly requeueAfterMs?: number | undefined; readonly error?: unknown };
  cutOff: boolean;
}

/** What was looked for in a cache: the verb, the kind, and the rest. */
export type Asked = readonly [verb: string, kind: string, ...rest: unknown[]];

/** A look-up in a cache, in one word after the other. Labels stand in their order. Pure. */
export const askedText = ([verb, kind, ...rest]: Asked): string =>
  [verb, kind, ...rest.map((each) => (typeof each === 'string' ? each : JSON.stringify(each ?? {})))].join(' ');

/** About how many bytes are kept alive for a slot, beside the objects that it has seen. */
export function weightOf({ seen, requests, answers }: Slot): number {
  const references = seen.reduce((sum, { objects }) => sum + objects.length, 0);
  const replies = requests.reduce((sum, { bytes }) => sum + bytes, 0);
  const bodies = answers.reduce((sum, { value }) => sum + bodyLength(value), 0);
  return 1_024 + 16 * references + replies + bodies;
}

function bodyLength(value: unknown): number {
  if (typeof value !== 'object' || value === null || !('body' in value)) return 128;
  return typeof value.body === 'string' ? value.body.length : 128;
}
