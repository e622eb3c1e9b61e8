import type { FieldError } from '../../field-error.ts';
import { indexByKey } from '../../internal/correlation.ts';
import { fieldPath } from '../../internal/field-path.ts';
import type { FieldPath } from '../../internal/field-path.ts';
import { listMapKey } from '../../internal/list-map-key.ts';
import { isJsonObject } from '../../json.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { OldAndNew, RatchetedListener } from '../../rule-validator.ts';
import { toValue } from '../schema/convert.ts';
import type { Shape } from '../schema/shape.ts';
import { CelError } from '../values/error.ts';
import { Optional } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { inside } from '../compile/scope.ts';
import type { Scope } from '../compile/scope.ts';
import { callLimit } from '../cost/limits.ts';
import { CostExceeded, Meter } from '../cost/meter.ts';
import { evaluate } from './budget.ts';
import type { Budget } from './budget.ts';
import { callTooDear, outOfBudget, ruleError, ruleFailure } from './failure.ts';
import { compileRule } from './rule.ts';
import type { CompiledRule } from './rule.ts';

/** The rules of a schema and of what lies below it; parts without rules are left out. */
export interface RuleNode {
  readonly shape: Shape;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

/** Compiles all rules of a schema. Throws UnsupportedRule with the path of the first that cannot be evaluated. */
export function compileRules(shape: Shape, path: string): RuleNode | undefined {
  const { node } = shape;
  if (!node.contents.rules) return undefined;
  const properties = new Map<string, RuleNode>();
  for (const { name, shape: property } of shape.fields.values()) {
    const rules = compileRules(property, `${path}.properties[${name}]`);
    if (rules !== undefined) properties.set(name, rules);
  }
  return {
    shape,
    rules: node.rules.flatMap((_, index) => compileRule(shape, index, path) ?? []),
    items: shape.items && compileRules(shape.items, `${path}.items`),
    values: shape.values && compileRules(shape.values, `${path}.additionalProperties`),
    properties,
  };
}

/** Where a value stands between its old and its new object. */
interface Place {
  readonly path: FieldPath | undefined;
  readonly old: JsonValue | undefined;
  readonly correlation: OldAndNew | undefined;
  /** The nearest value around this one that has a correlation. */
  readonly around: OldAndNew | undefined;
  readonly ratcheted: RatchetedListener | undefined;
  /** What all rules on the object may cost together. */
  readonly budget: Budget;
}

/** Runs all rules on a value and on what lies in it (`cel.Validator` of apiextensions-apiserver). */
export function runRules(node: RuleNode | undefined, value: JsonValue | undefined, place: Place): FieldError[] {
  // Rules on a value that is null or absent do not run: who needs that writes the rule one level up.
  if (node === undefined || value === undefined || value === null || place.budget.exhausted) return [];
  const errors = runOwn(node, value, place);
  if (Array.isArray(value)) errors.push(...runItems(node, value, place));
  else if (isJsonObject(value)) errors.push(...runMembers(node, value, place));
  return errors;
}

function runItems(node: RuleNode, list: readonly JsonValue[], place: Place): FieldError[] {
  const { items, shape } = node;
  if (items === undefined) return [];
  const keys = shape.node.listType === 'map' ? shape.node.listMapKeys : [];
  const old = Array.isArray(place.old) ? indexByKey(place.old, keys) : new Map<string, JsonObject>();
  return list.flatMap((item, index) => {
    const key = listMapKey(item, keys);
    return runRules(items, item, {
      ...step(place, place.correlation?.index(index)),
      path: { parent: place.path, index },
      ratcheted: place.ratcheted,
      budget: place.budget,
      old: key === undefined ? undefined : old.get(key),
    });
  });
}

function runMembers(node: RuleNode, object: JsonObject, place: Place): FieldError[] {
  const old = isJsonObject(place.old) ? place.old : {};
  return Object.keys(object).flatMap((key) => {
    const property = node.properties.get(key);
    if (property === undefined && node.values === undefined) return [];
    const path: FieldPath = property === undefined ? { parent: place.path, key } : { parent: place.path, child: key };
    const below = {
      ...step(place, place.correlation?.key(key)),
      path,
      old: Object.hasOwn(old, key) ? old[key] : undefined,
      ratcheted: place.ratcheted,
      budget: place.budget,
    };
    return runRules(property ?? node.values, object[key], below);
  });
}

function step(place: Place, correlation: OldAndNew | undefined): Pick<Place, 'correlation' | 'around'> {
  return place.correlation === undefined
    ? { correlation: undefined, around: place.around }
    : { correlation, around: place.correlation };
}

function runOwn({ rules, shape }: RuleNode, value: JsonValue, place: Place): FieldError[] {
  if (rules.length === 0) return [];
  const { old, path, budget } = place;
  if (budget.left <= 0) return [outOfBudget(budget, { field: fieldPath(path), type: shape.node.type })];
  const errors: FieldError[] = [];
  const unchanged = (place.correlation ?? place.around)?.unchanged === true;
  const self = lazy(() => toValue(value, shape));
  const oldSelf = lazy(() => (old === undefined || old === null ? undefined : toValue(old, shape)));
  for (const compiled of rules) {
    const optional = compiled.rule.optionalOldSelf === true;
    if (compiled.usesOldSelf && (old === undefined || old === null) && !optional) continue;
    const error = runOne(compiled, { self, oldSelf, value, shape, path, budget });
    if (error !== undefined) {
      // A rule that compares with the old value judges the change; others let old errors be.
      if (error.ratchets && unchanged && !compiled.usesOldSelf) place.ratcheted?.(error.error);
      else errors.push(error.error);
    }
    if (budget.exhausted) break;
  }
  return errors;
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

interface Subject {
  readonly self: () => Value;
  readonly oldSelf: () => Value | undefined;
  readonly value: JsonValue;
  readonly shape: Shape;
  readonly path: FieldPath | undefined;
  readonly budget: Budget;
}

interface RuleOutcome {
  readonly error: FieldError;
  readonly ratchets: boolean;
}

function runOne(compiled: CompiledRule, subject: Subject): RuleOutcome | undefined {
  const { value, path, shape, budget } = subject;
  const { type } = shape.node;
  const where = { field: fieldPath(path), type };
  const meter = new Meter(callLimit);
  let scope: Scope | undefined;
  const outcome = evaluate(() => {
    scope = scopeOf(compiled, subject, meter);
    return compiled.check.run(scope);
  });
  if (!budget.spend(meter.spent)) return { error: outOfBudget(budget, where), ratchets: false };
  if (outcome instanceof CostExceeded) {
    budget.exhaust();
    return { error: callTooDear(compiled.rule, outcome, where), ratchets: false };
  }
  if (outcome instanceof CelError) return { error: ruleError(compiled.rule, outcome, where), ratchets: false };
  if (outcome === true || scope === undefined) return undefined;
  return { error: ruleFailure(compiled, { scope, value, path, type, budget }), ratchets: true };
}

function scopeOf({ rule, usesOldSelf }: CompiledRule, { self, oldSelf }: Subject, meter: Meter): Scope {
  const scope: Scope = { name: 'self', value: self(), outer: undefined, meter };
  if (!usesOldSelf && rule.optionalOldSelf !== true) return scope;
  const old = oldSelf();
  if (rule.optionalOldSelf === true) return inside(scope, 'oldSelf', new Optional(old));
  return old === undefined ? scope : inside(scope, 'oldSelf', old);
}
