import { checkMetadata, compileSchema, copyJson, fieldErrorMessage, isJsonObject } from '@ordinal/schema';
import type { CompiledSchema, FieldError, JsonObject, JsonSchemaProps } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { unfold } from './folded-json.ts';

/** A written object with its defaults filled in: the read form, save what the API server adds to its metadata. */
export type Defaulted<Read, Write extends { readonly metadata: object }> = Omit<Read, 'metadata'> &
  Pick<Write, 'metadata'>;

/** The kind that a validator is for. */
export interface ValidatedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Status is a subresource: what a write to the object itself says of it counts for nothing. */
  readonly statusSubresource: boolean;
}

/**
 * Judges and completes objects of one kind as the API server does. The schema is compiled when it is first needed. A CEL rule that can't be evaluated is
 * an error with the rule's path, never passed over.
 */
export class KindValidator<Read, Write extends { readonly metadata: object }> {
  readonly #kind: ValidatedKind;
  readonly #schema: string;
  #compiled: CompiledSchema | undefined;

  /** `schema` is folded JSON. */
  constructor(kind: ValidatedKind, schema: string) {
    this.#kind = kind;
    this.#schema = schema;
  }

  /**
   * All errors for which the API server would refuse the object, none where it would take it. With `old` the object is judged as an update of it:
   * transition rules run, and what was wrong before and did not change is not refused.
   */
  validate(object: unknown, old?: unknown): FieldError[] {
    const wrong = this.#wrongKind(object);
    if (wrong !== undefined) return [wrong];
    const copy = copyJson(object as JsonObject);
    const before = isJsonObject(old) ? copyJson(old) : undefined;
    const { decodeError } = this.#compile().admit(copy);
    if (decodeError !== undefined) return [decodeError];
    if (before !== undefined) this.#compile().admit(before);
    if (this.#kind.statusSubresource) {
      delete copy['status'];
      if (before?.['status'] !== undefined) copy['status'] = copyJson(before['status']);
    }
    return this.#compile().validate(copy, before);
  }

  /** A copy as the API server would decode it: unknown fields are gone, defaults filled in. */
  withDefaults(object: Write): Defaulted<Read, Write> {
    const copy = copyJson(object as unknown as JsonObject);
    this.#compile().admit(copy);
    // What the schema's defaults add is what the read form says is there: both come from one schema.
    return copy as unknown as Defaulted<Read, Write>;
  }

  /** Paths of fields that the schema does not know. The API server drops them; `kubectl` refuses them. */
  unknownFields(object: unknown): readonly string[] {
    return isJsonObject(object) ? this.#compile().admit(copyJson(object)).unknownFields : [];
  }

  /** Everything that `kubectl apply` would refuse in a new object, its metadata included, a line each. */
  problems(object: unknown): readonly string[] {
    const metadata = checkMetadata(isJsonObject(object) ? object['metadata'] : undefined);
    const errors = [...metadata.errors, ...this.validate(object)].map(fieldErrorMessage);
    const unknown = [...metadata.unknownFields, ...this.unknownFields(object)];
    return [...new Set([...errors, ...unknown.map((field) => `${field}: unknown field`)])];
  }

  #wrongKind(object: unknown): FieldError | undefined {
    if (!isJsonObject(object))
      return { type: 'FieldValueTypeInvalid', field: '<nil>', detail: 'an object is expected' };
    const { apiVersion, kind } = this.#kind;
    for (const [field, wanted] of [
      ['apiVersion', apiVersion],
      ['kind', kind],
    ] as const) {
      if (object[field] !== wanted)
        return { type: 'FieldValueInvalid', field, value: object[field] ?? null, detail: `must be ${wanted}` };
    }
    return undefined;
  }

  #compile(): CompiledSchema {
    this.#compiled ??= compileSchema(unfold(this.#schema) as JsonSchemaProps, { cel });
    return this.#compiled;
  }
}
