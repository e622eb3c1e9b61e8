import { checkSchema, fieldErrorMessage } from '@ordinal/schema';
import type { CelEngine, FieldError } from '@ordinal/schema';
import type { DefinitionVersion } from './definition.ts';
import type { DocumentPath } from './locate.ts';

/** What an API server refuses a version for. */
export interface Refusal {
  /** From the schema's root. */
  readonly path: DocumentPath;
  readonly message: string;
}

/**
 * The first thing for which an API server refuses a structural schema, in its words: a default that breaks its own schema, list keys that may be absent,
 * a pattern that is none. With `cel` also a default that breaks a rule. A CRD that no server takes is a mistake to be told of, not to be generated from.
 */
export function findRefused({ schema, subresources }: DefinitionVersion, cel?: CelEngine): Refusal | undefined {
  const options = { path: root, statusSubresource: subresources?.status !== undefined };
  const [error] = checkSchema(schema.openAPIV3Schema, cel === undefined ? options : { ...options, cel });
  if (error === undefined) return undefined;
  return { path: stepsOf(error.field).slice(1), message: wordsOf(error) };
}

/** The refusal as part of an error: where, in the server's words, what to do. */
export const describeRefusal = ({ path, message }: Refusal): string =>
  `an API server refuses the schema at ${path.length === 0 ? 'its root' : path.join('.')}: ${message}; correct the schema`;

const root = 'openAPIV3Schema';

/** `openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule` as steps. */
export const stepsOf = (path: string): DocumentPath =>
  [...path.matchAll(/([$\w-]+)|\[([^\]]*)\]/g)].map(([, word, key = '']) =>
    word === undefined ? (/^\d+$/.test(key) ? Number(key) : key) : word,
  );

/** One line, whatever the value is that the error shows. */
function wordsOf(error: FieldError): string {
  const { field } = error;
  const message = fieldErrorMessage(error);
  return message
    .slice(field.length + 2)
    .replace(/\s+/g, ' ')
    .slice(0, 400);
}
