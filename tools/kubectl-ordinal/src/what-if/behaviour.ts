import { durationFault, milliseconds } from '@ordinal/constructs';
import { parseDocument } from 'yaml';
import { CommandError, exitCodes } from '../failure.ts';

/** How long something takes, in milliseconds; or that it never comes about. */
export type After = number | 'never';

/** What a user says of members, gates and Jobs: it goes before what is known of them. By name, or `*` for all others. */
export interface Behaviour {
  readonly members: Readonly<Record<string, MemberBehaviour>>;
  readonly images: Readonly<Record<string, ImageBehaviour>>;
  /** By the name of the gate, or `handoff`, `sync`, `analysis`: for all members that are asked, or by member. */
  readonly gates: Readonly<Record<string, GateBehaviour | Readonly<Record<string, GateBehaviour>>>>;
  readonly jobs: Readonly<Record<string, JobBehaviour>>;
  /** Whether a webhook answers. */
  readonly webhooks: Readonly<Record<string, 'answers' | 'down'>>;
  /** Whether a provider of databases answers, by the name of its Secret; `default` is the operator's own. */
  readonly providers: Readonly<Record<string, 'answers' | 'down'>>;
  /** Whether a monitor answers, by its endpoint. */
  readonly monitors: Readonly<Record<string, 'answers' | 'down'>>;
  /** Who leads; absent where it was not said. */
  readonly leader?: string | undefined;
}

/** What a member does. */
export interface MemberBehaviour {
  /** From the start of its container. */
  readonly readyAfter?: After | undefined;
  /** From SIGTERM. */
  readonly stopsAfter?: After | undefined;
}

/** What members of an image do. */
interface ImageBehaviour extends MemberBehaviour {
  readonly pull?: 'fails' | number | undefined;
}

/** What a gate answers: a time is when it opens, from the change on. */
type GateBehaviour = 'open' | 'closed' | number;

/** What a Job does. */
interface JobBehaviour {
  readonly takes?: number | undefined;
  readonly ends?: 'succeeds' | 'fails' | undefined;
}

/** Nothing is said. */
const noBehaviour: Behaviour = {
  members: {},
  images: {},
  gates: {},
  jobs: {},
  webhooks: {},
  providers: {},
  monitors: {},
};

type Json = Readonly<Record<string, unknown>>;

/** Reads a value at a path. Throws what is wrong with it. */
type Reader<T> = (value: unknown, path: string) => T;

function wrong(path: string, wanted: string): never {
  throw new CommandError(`--members-behave: ${path === '' ? 'the file' : path} has to be ${wanted}`, exitCodes.usage);
}

const duration: Reader<number> = (value, path) => {
  if (typeof value !== 'string' || durationFault(value) !== undefined) wrong(path, 'a duration, such as 40s');
  return milliseconds(value);
};

const oneOf =
  <Word extends string, Other = never>(words: readonly Word[], other?: Reader<Other>): Reader<Word | Other> =>
  (value, path) => {
    const word = words.find((each) => each === value);
    if (word !== undefined) return word;
    const shown = words.join(' or ');
    if (other === undefined || (typeof value === 'string' && !/^\d/.test(value)) || typeof value !== 'string')
      return wrong(path, other === undefined ? shown : `${shown}, or a duration such as 40s`);
    return other(value, path);
  };

const mapOf =
  <T>(read: Reader<T>): Reader<Readonly<Record<string, T>>> =>
  (value, path) => {
    if (value === undefined) return {};
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(path, 'a map');
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, read(one, `${path}.${key}`)]));
  };

type Fields = Readonly<Record<string, Reader<unknown>>>;

/** Reads a map of known fields, each of which may be left out. */
function fieldsOf<F extends Fields>(
  fields: F,
): Reader<{ readonly [K in keyof F]?: F[K] extends Reader<infer T> ? T : never }> {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(path, 'a map');
    const entries = Object.entries(value as Json).map(([field, one]) => {
      const read = fields[field];
      const at = path === '' ? field : `${path}.${field}`;
      return [field, read ? read(one, at) : wrong(at, `one of ${Object.keys(fields).join(', ')}`)] as const;
    });
    // Each field was read by its own reader.
    return Object.fromEntries(entries) as { readonly [K in keyof F]?: F[K] extends Reader<infer T> ? T : never };
  };
}

const after = oneOf<'never', number>(['never'], duration);
const member = { readyAfter: after, stopsAfter: after };
const gate = oneOf<'open' | 'closed', number>(['open', 'closed'], duration);

const answering = oneOf<'answers' | 'down', never>(['answers', 'down']);

const file = fieldsOf({
  members: mapOf(fieldsOf(member)),
  images: mapOf(fieldsOf({ ...member, pull: oneOf<'fails', number>(['fails'], duration) })),
  gates: mapOf((value, path) =>
    typeof value === 'object' ? mapOf(gate)(value ?? undefined, path) : gate(value, path),
  ),
  jobs: mapOf(fieldsOf({ takes: duration, ends: oneOf<'succeeds' | 'fails', never>(['succeeds', 'fails']) })),
  webhooks: mapOf(answering),
  providers: mapOf(answering),
  monitors: mapOf(answering),
  leader: (value, path) => (typeof value === 'string' ? value : wrong(path, 'the name of a member, or none')),
});

/** Reads a file for `--members-behave`. Throws a `CommandError` that says what is wrong with which field. */
export function behaviourIn(text: string): Behaviour {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new CommandError(`--members-behave: the file is no YAML: ${error.message}`, exitCodes.usage);
  return { ...noBehaviour, ...file(document.toJS() ?? {}, '') };
}
