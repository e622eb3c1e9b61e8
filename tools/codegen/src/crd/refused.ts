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
 * a pattern that is none. With `cel` also a default that breaks a rule. A CRD that no server takes is reported as a mistake, and no code is generated from it.
 */
export function findRefused({ schema, subresources }: DefinitionVersion, cel?: CelEngine): Refusal | undefined {
  const options = { path: root, statusSubresource: subresources?.status !== undefined };
  const [error] = checkSchema(schema.openAPIV3Schema, cel === undefined ? options : { ...options, cel });
  return error === undefined ? undefined : refusalOf(error);
}

/** An error of the schema, whose path begins with `openAPIV3Schema`, as a refusal. */
export const refusalOf = (error: FieldError): Refusal => ({
  path: stepsOf(error.field).slice(1),
  message: wordsOf(error),
});

/** The refusal as part of an error: where, in the server's words, what to do. */
export const describeRefusal = ({ path, message }: Refusal): string =>
  `an API server refuses the schema at ${path.length === 0 ? 'its root' : path.join('.')}: ${message}; ${adviceFor(message)}`;

const adviceFor = (message: string): string =>
  message.startsWith('Required value: must not be empty ') && !message.includes('x-kubernetes-')
    ? 'give a type, or say x-kubernetes-preserve-unknown-fields or x-kubernetes-int-or-string'
    : 'correct the schema';

const root = 'openAPIV3Schema';

/** `openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule` as steps. */
export const stepsOf = (path: string): DocumentPath =>
  [...path.matchAll(/([$\w-]+)|\[([^\]]*)\]/g)].map(([, word, key = '']) =>
    word === undefined ? (/^\d+$/.test(key) ? Number(key) : key) : word,
  );

/** One line of bounded length, whatever the value is that the error shows: the value stands first, the reason last. */
function wordsOf(error: FieldError): string {
  const words = fieldErrorMessage(error)
    .slice(error.field.length + 2)
    .replace(/\s+/g, ' ');
  return words.length <= 400 ? words : `${words.slice(0, 200)} … ${words.slice(-200)}`;
}
