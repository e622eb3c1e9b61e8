import { redactedText as withoutCommonSecrets } from '@ordinal/lifecycle';
import { ordinalKinds } from '../kinds.ts';
import { withoutSecretShapes } from './secret-shapes.ts';

const hidden = '[hidden]';

/** In characters. */
const longestLine = 1024;

/** Names of fields whose value may open something. A name of a Secret opens nothing. */
const telling =
  /(password|passwd|passphrase|pass$|pwd|secret|token|credential|cookie|(?:api|access|private|account|signing|encryption|master)[-_]?key)(?!.*name$)/i;

/** Whether an annotation is Kubernetes' or the operator's. Those of others may hold anything. */
function isKnown(annotation: string): boolean {
  const [domain = ''] = annotation.split('/');
  return (
    /(^|\.)(kubernetes|k8s)\.io$/.test(domain) ||
    domain === 'ordinal.dev' ||
    ordinalKinds.some(({ group }) => group === domain)
  );
}

/** It repeats the whole object as it was applied. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * A text of many lines without what looks like a secret. Of each line 1,024 characters at most, its end. Looked at twice: what the operator takes out of a text, such as
 * a color between a name and its value, may bring the two together. Pure.
 */
export const redactedText = (text: string): string =>
  withoutSecretShapes(withoutSecretShapes(text).split('\n').map(withoutCommonSecrets).join('\n'))
    .split('\n')
    .map((line) => line.slice(-longestLine))
    .join('\n');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function redactedAnnotations(annotations: Readonly<Record<string, unknown>>): object {
  const kept = Object.entries(annotations).filter(([name]) => name !== lastApplied);
  const isShown = (name: string): boolean => isKnown(name) && !telling.test(name);
  return Object.fromEntries(kept.map(([name, value]) => [name, isShown(name) ? redactedObject(value) : hidden]));
}

/** Of a command its program, and how many words follow: any of them may be a password. */
const redactedWords = (words: readonly unknown[], keepsFirst: boolean): readonly unknown[] =>
  words.map((word, index) =>
    keepsFirst && index === 0 ? redactedText(String(word).replace(/\s.*/s, ` ${hidden}`)) : hidden,
  );

function redactedField(name: string, value: unknown): unknown {
  if (name === 'annotations' && isObject(value)) return redactedAnnotations(value);
  if ((name === 'command' || name === 'args') && Array.isArray(value)) return redactedWords(value, name === 'command');
  return typeof value === 'string' && telling.test(name) ? hidden : redactedObject(value);
}

/**
 * A part of an object without secrets: values of environment variables, the words of commands, annotations of others and fields whose name says so are left out;
 * every other text is redacted. Pure.
 */
export function redactedObject(value: unknown): unknown {
  if (typeof value === 'string') return redactedText(value);
  if (Array.isArray(value)) return value.map(redactedObject);
  if (!isObject(value)) return value;
  const isVariable = typeof value['name'] === 'string' && typeof value['value'] === 'string';
  const fields = Object.entries(value).filter(([name]) => name !== 'managedFields');
  return Object.fromEntries(
    fields.map(([name, field]) => [name, isVariable && name === 'value' ? hidden : redactedField(name, field)]),
  );
}
