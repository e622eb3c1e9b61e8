import type { FieldError } from './field-error.ts';
import { applyDefaults } from './internal/default.ts';
import { Correlation } from './internal/correlation.ts';
import { coerceEmbedded, validateEmbedded } from './internal/embedded.ts';
import { validateListTypes } from './internal/list-type.ts';
import { asResourceRoot, compileNode } from './internal/node.ts';
import type { Node } from './internal/node.ts';
import { prune, pruneNulls } from './internal/prune.ts';
import { makeWellFormed } from './internal/well-formed.ts';
import { validateNode, Walk } from './internal/validate/schema.ts';
import { copyJson } from './json.ts';
import type { JsonObject } from './json.ts';
import type { CelEngine, RatchetedListener, RuleValidator } from './rule-validator.ts';
import type { JsonSchemaProps } from './schema-props.ts';

/** What {@link compileSchema} can be given besides the schema. */
export interface CompileOptions {
  /**
   * Evaluates `x-kubernetes-validations`: `cel` of `@ordinal/schema/cel`. Without it a schema that has rules is
   * refused, unless `rules` says `ignore`.
   */
  readonly cel?: CelEngine;
  /** `ignore`: rules are left to the API server. Default `require`. */
  readonly rules?: 'require' | 'ignore';
}

/** What {@link CompiledSchema.admit} did to an object. */
export interface Admission {
  /** Paths that the schema does not know, for strict field validation: `spec.replica`. They are gone. */
  readonly unknownFields: readonly string[];
  /** Set when the API server could not even decode the object (code 400). */
  readonly decodeError?: FieldError;
}

/**
 * The schema of one version of a CustomResourceDefinition, read once. Methods that change an object do it in place,
 * which is what the API server does; copy it first if you need the original.
 */
export interface CompiledSchema {
  /** Removes what the schema does not describe; returns the removed paths, sorted. */
  prune(object: JsonObject): string[];
  /** Fills in defaults where fields are absent, or null where null is not allowed. */
  default(object: JsonObject): void;
  /** What the API server does to a request's object before admission: decode its text, prune, drop nulls, coerce embedded metadata, default. */
  admit(object: JsonObject): Admission;
  /**
   * All errors that the API server would report, in no promised order. With `old`, an update is judged: transition
   * rules run, and what did not change is not refused (ratcheting). apiVersion, kind and metadata of the object
   * itself are not judged here. `ratcheted` receives the CEL rules without `oldSelf` that were broken before and are
   * still: the API server accepts them with a warning.
   */
  validate(object: JsonObject, old?: JsonObject, ratcheted?: RatchetedListener): FieldError[];
  /** Like {@link validate} for a write to the status subresource: only `status` is judged. */
  validateStatus(object: JsonObject, old: JsonObject, ratcheted?: RatchetedListener): FieldError[];
}

const notChecked: FieldError = {
  type: 'FieldValueInvalid',
  field: '<nil>',
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * Compiles the `openAPIV3Schema` of a CRD's version. Throws {@link RulesNotSupported} when it has rules and no engine
 * was given, and what the engine throws for a rule that it does not support.
 */
export function compileSchema(schema: JsonSchemaProps, options: CompileOptions = {}): CompiledSchema {
  const node = compileNode(schema);
  const root = asResourceRoot(node);
  const rules = ruleValidator(schema, node, options);
  return {
    prune: (object) => prune(object, root),
    default: (object) => {
      applyDefaults(object, node);
    },
    admit: (object) => admit(object, node, root),
    validate: (object, old, ratcheted) => validate({ node, rules, ratcheted }, object, old),
    validateStatus: (object, old, ratcheted) => validateStatus({ node, rules, ratcheted }, object, old),
  };
}

/** The schema has CEL rules, and nothing was given to evaluate them. */
export class RulesNotSupported extends Error {
  override readonly name = 'RulesNotSupported';

  constructor() {
    super(
      'the schema has x-kubernetes-validations: pass {cel} from @ordinal/schema/cel, or {rules: "ignore"} to leave them to the API server',
    );
  }
}

function ruleValidator(schema: JsonSchemaProps, node: Node, options: CompileOptions): RuleValidator | undefined {
  if (!node.contents.rules || options.rules === 'ignore') return undefined;
  if (options.cel === undefined) throw new RulesNotSupported();
  return options.cel.compile(schema);
}

function admit(object: JsonObject, node: Node, root: Node): Admission {
  makeWellFormed(object);
  const removed = prune(object, root);
  pruneNulls(object, node);
  const { unknown, error } = node.contents.embedded ? coerceEmbedded(object, node) : { unknown: [], error: undefined };
  if (error !== undefined) return { unknownFields: [...removed, ...unknown.sort()], decodeError: error };
  applyDefaults(object, node);
  return { unknownFields: [...removed, ...unknown.sort()] };
}

interface Validators {
  readonly node: Node;
  readonly rules: RuleValidator | undefined;
  readonly ratcheted: RatchetedListener | undefined;
}

function validate(validators: Validators, object: JsonObject, old: JsonObject | undefined): FieldError[] {
  const { node } = validators;
  const correlation = old === undefined ? undefined : new Correlation(object, old, node);
  const walk = new Walk();
  validateNode(walk, node, object, correlation);
  const errors = walk.result.findings.map(({ error }) => error);
  if (node.contents.embedded) errors.push(...validateEmbedded(object, node));
  return judge(validators, errors, { object, old, correlation });
}

interface Write {
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly correlation: Correlation | undefined;
}

/** Lists of type set and map, then the rules, unless what is wrong already makes their answers worthless. */
function judge(
  { node, rules, ratcheted }: Validators,
  errors: FieldError[],
  { object, old, correlation }: Write,
): FieldError[] {
  // Lists that were wrong already do not block an update.
  if (node.contents.listKeys && (old === undefined || validateListTypes(undefined, node, old).length === 0)) {
    errors.push(...validateListTypes(undefined, node, object));
  }
  if (rules === undefined) return errors;
  if (errors.some(({ type }) => blocking.has(type))) return [...errors, notChecked];
  return [...errors, ...rules.validate(object, old, correlation, ratcheted)];
}

function validateStatus(validators: Validators, object: JsonObject, old: JsonObject): FieldError[] {
  const status = validators.node.properties.get('status');
  const correlation = new Correlation(object, old, validators.node);
  const walk = new Walk();
  if (status !== undefined && object.status !== undefined) {
    validateNode(walk, status, object.status, correlation.key('status'));
  }
  const errors = walk.result.findings.map(({ error }) => ({
    ...error,
    field: error.field === '<nil>' ? 'status' : `status.${error.field}`,
  }));
  return judge(validators, errors, { object, old, correlation });
}

/** {@link CompiledSchema.admit} on a copy: the object as the API server would store it. */
export function admitted(schema: CompiledSchema, object: JsonObject): JsonObject {
  const copy = copyJson(object);
  schema.admit(copy);
  return copy;
}
