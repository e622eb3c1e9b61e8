import type { KubernetesObject } from '@ordinal/client';
import type { RecordedError, RecordedReconcile, RecordedRequest, RecordingLine } from './format.ts';
import type { NotedRequest, SortedNotes } from './notes.ts';
import { askedText } from './notes.ts';
import type { Slot } from './slot.ts';

/** Takes what may open something out of a JSON value. Pure for as long as it is the same function. */
export type Hide = (value: unknown) => unknown;

/** An object that a decision names is one that was observed: who it is and how it was seen say all of it. */
function shortened({ apiVersion, kind, metadata }: KubernetesObject): unknown {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

/** Only an API server says when an object was created: what is to be made, or written, does not. */
const isSeen = (value: unknown): value is KubernetesObject => {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  const { uid, creationTimestamp } = value.metadata as KubernetesObject['metadata']; // Each is looked at.
  return typeof uid === 'string' && typeof creationTimestamp === 'string';
};

const isDescriptor = (value: object): value is { readonly plural: string; readonly group: string } =>
  'plural' in value && 'group' in value;

/** A decision as JSON: kinds by their names, and of objects that were observed who they are. Pure. */
export function decisionAsJson(decision: unknown): unknown {
  const text = JSON.stringify(decision, (key, value: unknown) => {
    if (key === 'descriptor' && typeof value === 'object' && value !== null && isDescriptor(value))
      return value.group === '' ? value.plural : `${value.plural}.${value.group}`;
    if ((key === 'object' || key === 'regarding') && isSeen(value)) return shortened(value);
    if (value instanceof Map) return [...(value as ReadonlyMap<unknown, unknown>)];
    if (value instanceof Error) return errorAsJson(value);
    return value;
  });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

interface ErrorFields {
  readonly code?: unknown;
  readonly applied?: unknown;
  readonly retryAfterMs?: unknown;
  readonly unsent?: unknown;
  readonly status?: unknown;
}

/** An error as JSON, so that it can be thrown again. Pure. */
function errorAsJson(error: unknown): RecordedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { code, applied, retryAfterMs, unsent, status } = error as Error & ErrorFields; // Each is looked at.
  return {
    ...{ name: error.name, message: error.message },
    ...(typeof code === 'string' && { code }),
    ...(typeof applied === 'string' && { applied }),
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
    ...(unsent === true && { unsent }),
    ...(typeof status === 'object' && status !== null && { status }),
  };
}

function bodyOf({ chunks }: NotedRequest): unknown {
  if (!chunks) return undefined;
  const text = Buffer.concat(chunks).toString();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function requestAsJson(noted: NotedRequest): RecordedRequest {
  const { method, path, status, error } = noted;
  const body = bodyOf(noted);
  return {
    method,
    path,
    status,
    ...(body !== undefined && { body }),
    ...(error !== undefined && { error: errorAsJson(error) }),
  };
}

/**
 * Makes lines of what was noted. Each object of a cache has a line of its own, once, and is named by its number after that: one that stays as it is costs a few bytes
 * in each reconcile that sees it.
 */
export class Encoder {
  readonly #hide: Hide;
  readonly #ids = new WeakMap<object, number>();
  #last = 0;

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  /** The lines of one reconcile, in order. */
  lines(slot: Slot): readonly RecordingLine[] {
    const objects: RecordingLine[] = [];
    const numberOf = (kind: string, object: KubernetesObject): number => {
      const known = this.#ids.get(object);
      if (known !== undefined) return known;
      const id = (this.#last += 1);
      this.#ids.set(object, id);
      objects.push({ type: 'object', id, kind, object: this.#hide(object) });
      return id;
    };
    const notes = slot.notes.sorted();
    const seen: Record<string, Set<number>> = {};
    for (const { kind, objects: found } of notes.seen) {
      const ids = (seen[kind] ??= new Set());
      for (const object of found) ids.add(numberOf(kind, object));
    }
    return [...objects, this.#reconcile(slot, notes, seen)];
  }

  #reconcile(
    { definition, key, at, tookMs, failures, restoredAt, result, cutOff }: Slot,
    notes: SortedNotes,
    seen: Readonly<Record<string, ReadonlySet<number>>>,
  ): RecordedReconcile {
    const { name: controller } = definition;
    const { asked, counted, times, random, requests, decisions } = notes;
    const hidden = <Value>(value: Value): Value => this.#hide(value) as Value; // Of the same shape.
    const answers = notes.answers.map(({ of, value, error }) => ({
      ...{ of, value },
      ...(error !== undefined && { error: errorAsJson(error) }),
    }));
    return {
      type: 'reconcile',
      controller,
      namespace: key.namespace,
      name: key.name,
      at,
      tookMs,
      failures,
      ...(restoredAt !== undefined && { restoredAt }),
      asked: [...new Set(asked.map(askedText))],
      seen: Object.fromEntries(Object.entries(seen).map(([kind, ids]) => [kind, [...ids]])),
      counted,
      times,
      random,
      requests: hidden(requests.map(requestAsJson)),
      answers: hidden(answers),
      decisions: hidden(decisions.map(decisionAsJson)),
      result: {
        ...(result.requeueAfterMs !== undefined && { requeueAfterMs: result.requeueAfterMs }),
        ...(result.error !== undefined && { error: hidden(errorAsJson(result.error)) }),
      },
      ...(cutOff && { cutOff }),
    };
  }
}
