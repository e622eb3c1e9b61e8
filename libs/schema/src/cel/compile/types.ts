/**
 * What is known of a value before it is there. Only what refuses a mistake in an expression is kept: fields of objects,
 * items of lists, values of maps; everything else is known by its name, or not at all (`dyn`).
 */
export type StaticType =
  | { readonly kind: 'dyn'; readonly declared?: true }
  | { readonly kind: 'simple'; readonly name: string }
  | { readonly kind: 'object'; readonly field: (name: string) => StaticType | undefined }
  | { readonly kind: 'list'; readonly item: StaticType }
  | { readonly kind: 'map'; readonly value: StaticType; readonly key: StaticType }
  | { readonly kind: 'optional'; readonly value: StaticType };

/** Nothing is known. */
export const dyn: StaticType = { kind: 'dyn' };

/** Known to be of any type, which is a type of its own in a literal: what `dyn(x)` gives, and an int or string. */
export const anything: StaticType = { kind: 'dyn', declared: true };

/** A scalar type, or one without parts. */
export function simple(name: string): StaticType {
  return { kind: 'simple', name };
}

/** The expression is well formed, but means nothing here: a name, field or function that is not known. */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';
}

/** The type of a member, when the operand can have members. Throws {@link CelCompileError} where it cannot. */
export function memberType(operand: StaticType, field: string): StaticType {
  switch (operand.kind) {
    case 'object': {
      const type = operand.field(field);
      if (type === undefined) throw new CelCompileError(`undefined field '${field}'`);
      return type;
    }
    case 'map':
      return operand.value;
    case 'optional':
      return { kind: 'optional', value: memberType(operand.value, field) };
    case 'dyn':
      return operand;
    default:
      throw new CelCompileError(`type '${typeText(operand)}' does not support field selection`);
  }
}

/** True when values of both types can be one type: nothing known of one side fits all. */
export function compatible(a: StaticType, b: StaticType): boolean {
  if (a.kind === 'dyn' || b.kind === 'dyn') return true;
  if (isNull(a) || isNull(b)) return (isNull(a) && isNull(b)) || takesNull(isNull(a) ? b : a);
  if (a.kind === 'simple' && b.kind === 'simple') return a.name === b.name;
  if (a.kind === 'list' && b.kind === 'list') return compatible(a.item, b.item);
  if (a.kind === 'map' && b.kind === 'map') return compatible(a.key, b.key) && compatible(a.value, b.value);
  if (a.kind === 'optional' && b.kind === 'optional') return compatible(a.value, b.value);
  return a.kind === b.kind;
}

/**
 * The type that is both, with what either knows; undefined where they differ. Stricter than {@link compatible}: it is what the values of one literal must
 * have, where `dyn(1)` is no int.
 */
export function common(a: StaticType, b: StaticType): StaticType | undefined {
  if (a.kind === 'dyn' && a.declared === undefined) return b;
  if (b.kind === 'dyn' && b.declared === undefined) return a;
  if (a.kind === 'simple' && b.kind === 'simple') return a.name === b.name ? a : undefined;
  if (a.kind === 'list' && b.kind === 'list') {
    const item = common(a.item, b.item);
    return item && { kind: 'list', item };
  }
  if (a.kind === 'map' && b.kind === 'map') {
    const [key, value] = [common(a.key, b.key), common(a.value, b.value)];
    return key && value && { kind: 'map', key, value };
  }
  if (a.kind === 'optional' && b.kind === 'optional') {
    const value = common(a.value, b.value);
    return value && { kind: 'optional', value };
  }
  return a.kind === b.kind ? a : undefined;
}

/** The type of what is one or the other: of any type where one of them is. */
export function oneOf(a: StaticType, b: StaticType): StaticType {
  const any = [a, b].find((type) => type.kind === 'dyn' && type.declared === true);
  return any ?? common(a, b) ?? dyn;
}

/** The type of `null`. */
const isNull = (type: StaticType): boolean => type.kind === 'simple' && type.name === 'null';

/** Scalars; every other type that goes by a name alone is one of protocol buffers' messages or of Kubernetes' own. */
const scalars = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'type']);

/** `null` may be compared with what can be absent: an object, an optional, a time, a quantity; cel-go takes it, and it never equals them. */
function takesNull(type: StaticType): boolean {
  return type.kind === 'object' || type.kind === 'optional' || (type.kind === 'simple' && !scalars.has(type.name));
}

/** What the checker calls times. */
const printed: Readonly<Record<string, string>> = {
  'google.protobuf.Duration': 'duration',
  'google.protobuf.Timestamp': 'timestamp',
};

/** The type as CEL's checker prints it. */
export function typeText(type: StaticType): string {
  switch (type.kind) {
    case 'dyn':
      return 'dyn';
    case 'simple':
      return printed[type.name] ?? type.name;
    case 'object':
      return 'object';
    case 'list':
      return `list(${typeText(type.item)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'optional':
      return `optional_type(${typeText(type.value)})`;
  }
}
