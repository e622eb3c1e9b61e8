import { redactedText } from '@ordinal/lifecycle';
import { kinds } from '../kinds.ts';
import type { Token } from './token.ts';

/** Names of fields whose value may open something. A name of a Secret opens nothing. */
const telling = /(?:password|passwd|passphrase|secret|token|credential|api-?key|access-?key|private-?key)(?!.*name$)/i;

/** Texts without any of these have nothing in them that `redactedText` takes out. To look first is most of what hiding saves. */
const suspicious = /pass|secret|token|credential|key|eyJ|bearer|basic|AKIA|ASIA|:\/\//i;

/** Repeats the whole object as it was applied. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Stands for the seal of a status. Without the operator's key no seal says anything, and a status that is made of a former one is sealed when it is written. */
const noSeal = '[seal]';

const ownGroups: ReadonlySet<string> = new Set(['ordinal.dev', ...kinds.map(({ descriptor }) => descriptor.group)]);

/** Whether an annotation is Kubernetes' or the operator's. Those of others may hold anything. */
function isKnown(annotation: string): boolean {
  const [domain = ''] = annotation.split('/');
  return annotation !== lastApplied && (ownGroups.has(domain) || /(?:^|\.)(?:kubernetes|k8s)\.io$/.test(domain));
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Takes what may open something out of JSON values, for a recording: the data of Secrets, values of environment variables, the words of commands behind the first,
 * annotations of others, and fields whose name says so. Also each text with something in it that looks like a secret. A token stands for each. The same value
 * has the same token, so that what was the same is the same still. Pure for as long as the tokens are.
 */
export function hiding(token: Token): (value: unknown) => unknown {
  const hidden = (value: unknown): unknown => (typeof value === 'string' ? token(value) : token(JSON.stringify(value)));
  const text = (value: string): string => {
    const isStructured = (value.startsWith('{') || value.startsWith('[')) && hidesIn(value);
    return isStructured || (suspicious.test(value) && redactedText(value) !== value) ? token(value) : value;
  };
  /** Templates are kept in annotations as JSON. */
  const hidesIn = (json: string): boolean => {
    try {
      const parsed: unknown = JSON.parse(json);
      return JSON.stringify(anything(parsed)) !== JSON.stringify(parsed);
    } catch {
      return false;
    }
  };
  const words = (list: readonly unknown[], keepsFirst: boolean): unknown =>
    list.map((word, index) => (keepsFirst && index === 0 ? anything(word) : hidden(word)));
  const each = (fields: Fields, change: (name: string, value: unknown) => unknown): Fields =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]));
  const field = (name: string, value: unknown): unknown => {
    if (name === 'annotations' && isFields(value))
      return each(value, (key, entry) => (isKnown(key) ? anything(entry) : hidden(entry)));
    if ((name === 'command' || name === 'args') && Array.isArray(value)) return words(value, name === 'command');
    if (name === 'seal' && typeof value === 'string') return noSeal;
    return typeof value === 'string' && telling.test(name) ? hidden(value) : anything(value);
  };
  const anything = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(anything);
    if (!isFields(value)) return value;
    const isVariable = typeof value['name'] === 'string' && typeof value['value'] === 'string';
    const isSecret = value['kind'] === 'Secret';
    return each(value, (name, entry) => {
      if (isVariable && name === 'value') return hidden(entry);
      if (isSecret && (name === 'data' || name === 'stringData') && isFields(entry))
        return each(entry, (_key, datum) => hidden(datum));
      return field(name, entry);
    });
  };
  return anything;
}
