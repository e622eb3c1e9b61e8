import { jsonLiteral, propertyKey, stringLiteral } from '../emit/text.ts';
import type { TypeText } from './shape.ts';

/** `readonly T[]`. Written with brackets: a kind may be called `Array` or `ReadonlyArray`. */
export function arrayOf(item: TypeText): TypeText {
  return { text: `readonly ${item.compound === true ? `(${item.text})` : item.text}[]`, compound: true };
}

/** An object with any keys. Written as a mapped signature: a kind may be called `Record`. */
export function mapOf(value: TypeText): TypeText {
  return { text: `{ readonly [key: string]: ${value.text} }` };
}

/** `T | null`. */
export function orNull(type: TypeText): TypeText {
  return type.text === 'unknown'
    ? type
    : {
        text: `${type.compound === true && type.text.startsWith('readonly') ? `(${type.text})` : type.text} | null`,
        compound: true,
      };
}

/** A union of the literals, each once, in the schema's order; `never` for none. */
export function literals(values: readonly unknown[]): TypeText {
  const texts = [...new Set(values.map(literalType))];
  return texts.length === 0 ? { text: 'never' } : { text: texts.join(' | '), compound: texts.length > 1 };
}

function literalType(value: unknown): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (Array.isArray(value)) return `readonly [${value.map(literalType).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return jsonLiteral(value);
  const members = Object.entries(value).map(([key, member]) => `readonly ${propertyKey(key)}: ${literalType(member)}`);
  return members.length === 0 ? '{ readonly [key: string]: never }' : `{ ${members.join('; ')} }`;
}
