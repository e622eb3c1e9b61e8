import type { FieldError } from './field-error.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { JsonSchemaProps } from './schema-props.ts';

/** A value beside the old value that it replaces, followed through fields and lists of type map. */
export interface OldAndNew {
  readonly value: JsonValue;
  readonly old: JsonValue;
  /** Value and old value are equal: errors of rules without `oldSelf` are not reported. */
  readonly unchanged: boolean;
  key(name: string): OldAndNew | undefined;
  index(i: number): OldAndNew | undefined;
}

/** Receives an error that was there before an update, and that the update is not refused for: the API server warns of it. */
export type RatchetedListener = (error: FieldError) => void;

/** The rules of one schema, compiled. */
export interface RuleValidator {
  /** What the API server refuses the schema for because of the estimated cost of its rules; `path` is where the schema stands in the CRD. */
  costErrors(path: string): FieldError[];
  /** Errors of all rules; `correlation` is there on updates. Errors that ratcheting lets be go to `ratcheted`, where it is given. */
  validate(
    object: JsonObject,
    old: JsonObject | undefined,
    correlation: OldAndNew | undefined,
    ratcheted?: RatchetedListener,
  ): FieldError[];
}

/** Compiles the `x-kubernetes-validations` of a schema; `cel` of `@ordinal/schema/cel` is one. */
export interface CelEngine {
  /** Throws an Error with the schema path for a rule that it does not support. */
  compile(schema: JsonSchemaProps): RuleValidator;
}
