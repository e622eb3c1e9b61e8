export { admitted, compileSchema, RulesNotSupported } from './compiled-schema.ts';
export type { Admission, CompiledSchema, CompileOptions } from './compiled-schema.ts';
export { fieldErrorBody, fieldErrorMessage, invalidStatus } from './field-error.ts';
export type { FieldError, FieldErrorType, InvalidStatus, InvalidSubject } from './field-error.ts';
export { copyJson, equalJson, isJsonObject } from './json.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { CelEngine, OldAndNew, RuleValidator } from './rule-validator.ts';
export type { JsonSchemaProps, ValidationRule } from './schema-props.ts';
