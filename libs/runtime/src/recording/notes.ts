import type { Instant, KubernetesObject, ObjectKey, ResourceDescriptor } from '@ordinal/client';
import { kindName } from '../cache/key.ts';

/** A request under way, with the parts of its reply that have come. Times are milliseconds since the reconcile began. */
export interface NotedRequest {
  readonly method: string;
  readonly path: string;
  readonly sentMs: number;
  /** When the reply began, or was known not to come. */
  repliedMs: number | undefined;
  status: number | undefined;
  chunks: Uint8Array[] | undefined;
  bytes: number;
  error: unknown;
}

/** An answer as it came. */
export interface NotedAnswer {
  readonly of: string;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** A look into a cache: what was looked for, and what was there. */
export type Look =
  | readonly ['get', ResourceDescriptor, ObjectKey, KubernetesObject | undefined]
  | readonly ['list', ResourceDescriptor, object, readonly KubernetesObject[]]
  | readonly ['owned', ResourceDescriptor, string, readonly KubernetesObject[]]
  | readonly ['index', ResourceDescriptor, readonly [index: string, value: string], readonly KubernetesObject[]]
  | readonly ['count', ResourceDescriptor, readonly [index: string, value: string], number];

/** What else is noted. */
type Other =
  | readonly ['time', Instant]
  | readonly ['random', number]
  | readonly ['request', NotedRequest]
  | readonly ['answer', NotedAnswer]
  | readonly ['decision', object];

/** What was looked for in a cache: the verb, the kind, and the rest. */
export type Asked = readonly [verb: string, kind: string, ...rest: readonly unknown[]];

/** A look-up in a cache, in one word after the other. Labels stand in their order. Pure. */
export const askedText = ([verb, kind, ...rest]: Asked): string =>
  [verb, kind, ...rest.map((each) => (typeof each === 'string' ? each : JSON.stringify(each ?? {})))].join(' ');

/** Notes by what they are about, each in their order. */
export interface SortedNotes {
  readonly asked: Asked[];
  /** What was there, where something was. */
  readonly seen: { readonly kind: string; readonly objects: readonly KubernetesObject[] }[];
  readonly counted: (readonly [kind: string, index: string, value: string, count: number])[];
  readonly times: Instant[];
  readonly random: number[];
  readonly requests: NotedRequest[];
  readonly answers: NotedAnswer[];
  readonly decisions: object[];
}

const looks: ReadonlySet<unknown> = new Set<Look[0]>(['get', 'list', 'owned', 'index', 'count']);

/**
 * What is noted of a reconcile while it runs: references alone, one behind the other in one array, that are sorted when they are written. What is noted outlives the
 * reconcile, and the collector of garbage copies each object that does so twice: an object for each note cost more than all else of the recorder.
 */
export class Notes {
  readonly #notes: unknown[] = [];
  #hasContent = false;
  #weight = 0;

  /** Whether anything was there or was decided: nothing else is worth a record. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  /** About how many bytes are kept alive for these notes, beside the objects that were there. */
  get weight(): number {
    return this.#weight;
  }

  /** Notes a look into a cache. Its parts are not gathered in an array, here and below: that is one object less. */
  look<Noted extends Look>(verb: Noted[0], descriptor: ResourceDescriptor, wanted: Noted[2], found: Noted[3]): void {
    if (Array.isArray(found)) this.#weight += 16 * found.length;
    this.#hasContent ||= Array.isArray(found) ? found.length > 0 : typeof found === 'object';
    this.#notes.push(verb, descriptor, wanted, found);
  }

  /** Notes something else. */
  add<Noted extends Other>(what: Noted[0], value: Noted[1]): void {
    this.#hasContent ||= what === 'decision';
    this.#notes.push(what, value);
  }

  /** Says that something of what was noted takes so many bytes. */
  weigh(bytes: number): void {
    this.#weight += bytes;
  }

  /** The notes by what they are about. */
  sorted(): SortedNotes {
    const sorted: SortedNotes = {
      ...{ asked: [], seen: [], counted: [], times: [], random: [], requests: [], answers: [], decisions: [] },
    };
    const notes = this.#notes;
    for (let index = 0; index < notes.length;) {
      const end = index + (looks.has(notes[index]) ? 4 : 2);
      const note = notes.slice(index, end) as unknown as Look | Other; // As it was noted.
      if (note.length === 4) sortLook(note, sorted);
      else sortOther(note, sorted);
      index = end;
    }
    return sorted;
  }
}

function sortLook([verb, descriptor, wanted, found]: Look, { asked, seen, counted }: SortedNotes): void {
  const kind = kindName(descriptor);
  const see = (objects: readonly KubernetesObject[]): void => {
    if (objects.length > 0) seen.push({ kind, objects });
  };
  switch (verb) {
    case 'get':
      asked.push([verb, kind, wanted.namespace, wanted.name]);
      return see(found === undefined ? [] : [found]);
    case 'list':
    case 'owned':
      asked.push([verb, kind, wanted]);
      return see(found);
    case 'index':
      asked.push([verb, kind, ...wanted]);
      return see(found);
    case 'count':
      counted.push([kind, ...wanted, found]);
  }
}

function sortOther([what, value]: Other, sorted: SortedNotes): void {
  if (what === 'time') sorted.times.push(value);
  else if (what === 'random') sorted.random.push(value);
  else if (what === 'request') sorted.requests.push(value);
  else if (what === 'answer') sorted.answers.push(value);
  else sorted.decisions.push(value);
}
