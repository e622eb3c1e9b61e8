import { redactedText } from '@ordinal/lifecycle';
import { kinds } from '../kinds.ts';
import type { Token } from './token.ts';

/** Names of fields whose value may open something. A name of a Secret opens nothing. */
const telling = /(?:password|passwd|passphrase|secret|token|credential|api-?key|access-?key|private-?key)(?!.*name$)/i;

/** Of so many names it is remembered whether they tell: most objects have the same ones. */
const maxNames = 4_096;

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

/** The same fields, each as `change` has it: the very same object where none is another. Most are so, and to copy each of them was most of the work. */
function each(fields: Fields, change: (name: string, value: unknown) => unknown): Fields {
  let changed: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = change(name, fields[name]);
    if (value !== fields[name]) (changed ??= { ...fields })[name] = value;
  }
  return changed ?? fields;
}

/** The same for a list. */
function eachOf(list: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, before] of list.entries()) {
    const value = change(before);
    if (value !== before) (changed ??= [...list])[index] = value;
  }
  return changed ?? list;
}

/** Whether a name of a field says that its value may open something. Pure: what it remembers is what it would find again. */
function tellingNames(): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    let isTelling = known.get(name);
    if (isTelling !== undefined) return isTelling;
    isTelling = telling.test(name);
    if (known.size >= maxNames) known.clear();
    known.set(name, isTelling);
    return isTelling;
  };
}

/**
 * Takes what may open something out of JSON values, for a recording: the data of Secrets, values of environment variables, the words of commands behind the first,
 * annotations of others, and fields whose name says so. Also each text with something in it that looks like a secret. A token stands for each. The same value
 * has the same token, so that what was the same is the same still. What has nothing to hide comes back itself. Pure for as long as the tokens are.
 */
export function hiding(token: Token): (value: unknown) => unknown {
  const isTelling = tellingNames();
  const hidden = (value: unknown): unknown => (typeof value === 'string' ? token(value) : token(JSON.stringify(value)));
  const text = (value: string): string => {
    const isStructured = (value.startsWith('{') || value.startsWith('[')) && hidesIn(value);
    return isStructured || redactedText(value) !== value ? token(value) : value;
  };
  /** Templates are kept in annotations as JSON. */
  const hidesIn = (json: string): boolean => {
    try {
      const parsed: unknown = JSON.parse(json);
      return anything(parsed) !== parsed;
    } catch {
      return false;
    }
  };
  const words = (list: readonly unknown[], keepsFirst: boolean): unknown =>
    list.map((word, index) => (keepsFirst && index === 0 ? anything(word) : hidden(word)));
  const field = (name: string, value: unknown): unknown => {
    if (name === 'annotations' && isFields(value))
      return each(value, (key, entry) => (isKnown(key) ? anything(entry) : hidden(entry)));
    if ((name === 'command' || name === 'args') && Array.isArray(value)) return words(value, name === 'command');
    if (name === 'seal' && typeof value === 'string') return noSeal;
    return typeof value === 'string' && isTelling(name) ? hidden(value) : anything(value);
  };
  const anything = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return eachOf(value, anything);
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
