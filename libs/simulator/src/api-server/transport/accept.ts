import { notAcceptable } from '../status.ts';
import type { Representation } from '../tables/table.ts';

/** What an address can answer in: custom kinds have no protobuf, and lists can be watched. */
export interface Producer {
  readonly custom: boolean;
  readonly watches: boolean;
  /** Whether it is no object that is kept, but a question: there is no table of it. */
  readonly isReview?: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * In what form a client wants its reply, by its `Accept` header: the first of its clauses that can be answered. Everything is answered in JSON. Refuses with
 * 406 where there is none.
 */
export function representationOf(accept: string | undefined, producer: Producer): Representation {
  if (accept === undefined || accept === '' || accept === 'application/json') return 'object';
  const types = [
    'application/json',
    'application/yaml',
    ...(producer.custom ? [] : ['application/vnd.kubernetes.protobuf']),
  ];
  const clauses = accept
    .split(',')
    .map(clauseOf)
    .sort((left, right) => right.quality - left.quality);
  const readable = clauses.filter(({ type }) => type === '*/*' || type === 'application/*' || types.includes(type));
  if (!clauses.some(({ type }) => type === '*/*' || types.includes(type))) {
    const streams = producer.watches
      ? types.filter((type) => type !== 'application/yaml').map((type) => `${type};stream=watch`)
      : [];
    throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${[...types, ...streams].join(', ')}`, {});
  }
  for (const clause of readable) {
    const representation = formOf(clause);
    if (representation === 'table' && producer.isReview === true) continue;
    if (representation !== undefined) return representation;
  }
  throw notAcceptable(`only the following media types are accepted: ${types.join(', ')}`);
}

function clauseOf(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map(
    rest.map((parameter): [string, string] => {
      const [name = '', value = ''] = parameter.split('=');
      return [name, value];
    }),
  );
  return { type, parameters, quality: Number(parameters.get('q') ?? 1) };
}

/** The form that a clause asks for; undefined where there is no such form. */
function formOf({ parameters }: Clause): Representation | undefined {
  const as = parameters.get('as');
  if (as === undefined) return 'object';
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  if (as === 'Table') return 'table';
  if (as === 'PartialObjectMetadataList') return 'metadata list';
  return as === 'PartialObjectMetadata' ? 'metadata' : undefined;
}
