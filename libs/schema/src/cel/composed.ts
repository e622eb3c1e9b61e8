import type { JsonObject, JsonValue } from '../json.ts';
import { asCondition, compileDynamic, scopeOf } from './condition.ts';
import type { ConditionResult, Evaluation } from './condition.ts';
import { inside } from './compile/scope.ts';
import type { Scope } from './compile/scope.ts';
import { CelError } from './values/error.ts';
import { nameMistakes } from './values/message.ts';
import { toJson } from './values/to-json.ts';
import { MapValue } from './values/value.ts';
import type { Value } from './values/value.ts';

/** An expression with a name. */
export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/** What expressions come to over the values of one request. */
export interface Composition {
  /** The value of an expression, or why it has none. Strings and truth values are given as they are, all else as undefined. */
  readonly evaluate: (
    expression: string,
  ) => { readonly value: string | boolean | null | undefined } | { readonly error: string };
  /** What an expression that makes an object, or a list of patches, comes to as JSON; `mistake`: what is wrong with what it made. */
  readonly made: (
    expression: string,
  ) => { readonly value: JsonValue } | { readonly error: string } | { readonly mistake: string };
  /** Whether a condition holds. */
  readonly holds: (expression: string) => ConditionResult;
}

/**
 * Expressions that may name others as `variables.NAME`, like those of an admission policy (KEP-3488). A variable is evaluated when an expression first names it, once for each request.
 */
export class ComposedExpressions {
  readonly #names: readonly string[];
  readonly #variables: ReadonlyMap<string, Run>;
  readonly #compiled = new Map<string, (scope: Scope | undefined) => Evaluation>();

  /** `names`: what expressions may refer to; `messages`: whether variables may be objects that they make. Throws {@link UnsupportedRule} where a variable can't be compiled. */
  constructor(names: readonly string[], variables: readonly NamedExpression[], messages = false) {
    this.#names = [...names, 'variables'];
    this.#variables = new Map(
      variables.map(({ name, expression }) => [name, compileDynamic(expression, this.#names, messages).run]),
    );
  }

  /** Binds the names to the values of a request. Its functions throw {@link UnsupportedRule} for an expression that can't be compiled. */
  over(values: JsonObject): Composition {
    const outer = scopeOf(this.#names.slice(0, -1), values);
    const { scope } = new Variables(this.#variables, outer);
    const evaluate = (expression: string): Evaluation => this.#compile(expression)(scope);
    return {
      evaluate: (expression) => {
        const result = evaluate(expression);
        if ('error' in result) return result;
        const { value } = result;
        return { value: typeof value === 'string' || typeof value === 'boolean' || value === null ? value : undefined };
      },
      made: (expression) => {
        const { evaluate: make } = compileDynamic(expression, this.#names, true);
        const result = make(scope);
        if ('error' in result) return result;
        const mistakes = nameMistakes(result.value);
        if (mistakes.length > 0) return { mistake: `type mismatch: ${mistakes.join('\n')}` };
        try {
          return { value: toJson(result.value) };
        } catch (error) {
          if (error instanceof CelError) return { error: error.message };
          throw error;
        }
      },
      holds: (expression) => asCondition(evaluate(expression)),
    };
  }

  #compile(expression: string): (scope: Scope | undefined) => Evaluation {
    const known = this.#compiled.get(expression);
    if (known !== undefined) return known;
    const { evaluate } = compileDynamic(expression, this.#names);
    this.#compiled.set(expression, evaluate);
    return evaluate;
  }
}

type Run = (scope: Scope | undefined) => Value;

/** The variables of a request, each evaluated when an expression first names it. */
class Variables extends MapValue {
  readonly #expressions: ReadonlyMap<string, Run>;
  readonly #scope: Scope;
  readonly #known = new Map<string, Value>();

  constructor(expressions: ReadonlyMap<string, Run>, outer: Scope | undefined) {
    super();
    this.#expressions = expressions;
    this.#scope = inside(outer, 'variables', this);
  }

  /** The scope of an expression that may name them. */
  get scope(): Scope {
    return this.#scope;
  }

  override get size(): number {
    return this.#expressions.size;
  }

  override get(key: Value): Value | undefined {
    const name = String(key);
    const run = this.#expressions.get(name);
    if (run === undefined || this.#known.has(name)) return this.#known.get(name);
    try {
      const value = run(this.#scope);
      this.#known.set(name, value);
      return value;
    } catch (error) {
      if (error instanceof CelError)
        throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${error.message}`);
      throw error;
    }
  }

  override keys(): Value[] {
    return [...this.#expressions.keys()];
  }
}
