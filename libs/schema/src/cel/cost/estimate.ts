import { isTypeName } from '../compile/access.ts';
import { resolve } from '../compile/call.ts';
import { macroOf } from '../compile/macros.ts';
import { operators } from '../compile/operators.ts';
import { dyn } from '../compile/types.ts';
import type { StaticType } from '../compile/types.ts';
import type { Variables } from '../compile/variables.ts';
import type { Shape } from '../schema/shape.ts';
import type { Expression } from '../syntax/ast.ts';
import { conditionalEstimate, estimateCall } from './call-estimate.ts';
import { Estimated, literalSize } from './estimated.ts';
import type { EntrySizes, LocalVariable, Parts } from './estimated.ts';
import { listCost, mapCost, structCost } from './limits.ts';
import { estimateMacro } from './macro-estimate.ts';
import { Path } from './path.ts';
import { fixed, plus, unionOf } from './range.ts';
import type { Range } from './range.ts';

/**
 * The highest cost of evaluating an expression that was compiled with these variables, for values as large as the shape lets them be: what the API server
 * estimates before it stores a CRD (cel-go's `checker/cost.go` with `library/cost.go` of k8s.io/apiserver).
 */
export function estimateCost(expression: Expression, variables: Variables, shape: Shape): number {
  return new Estimator(variables, shape).estimate(expression).cost;
}

type Of<Kind extends Expression['kind']> = Expression & { readonly kind: Kind };

/** Walks an expression in the order in which cel-go does, since paths grow as it goes. */
export class Estimator {
  readonly root: Shape;
  readonly #variables: Variables;
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(variables: Variables, root: Shape) {
    this.#variables = variables;
    this.root = root;
  }

  /** A part that is put together. */
  part(parts: Parts): Estimated {
    return new Estimated(this.root, parts);
  }

  /** The type of a part that was compiled. */
  typeOf(expression: Expression): StaticType {
    return this.#variables.types.get(expression) ?? dyn;
  }

  /** Does the work while a variable is declared. */
  within<T>(declared: readonly (readonly [string, LocalVariable])[], work: () => T): T {
    for (const [name, variable] of declared) this.#locals.set(name, [...(this.#locals.get(name) ?? []), variable]);
    const result = work();
    for (const [name] of declared) this.#locals.get(name)?.pop();
    return result;
  }

  /** The estimate of an expression. */
  estimate(expression: Expression): Estimated {
    const type = this.typeOf(expression);
    switch (expression.kind) {
      case 'literal':
        return this.part({ cost: 0, type, literal: expression.value, written: literalSize(expression.value) });
      case 'identifier':
        return this.#identifier(expression);
      case 'select':
        return this.#select(expression, type);
      case 'index':
        return this.#index(expression, type);
      case 'list':
        return this.#list(expression, type);
      case 'map':
        return this.#map(expression, type);
      case 'message':
        return this.#message(expression, type);
      case 'call':
        return this.#call(expression, type);
    }
  }

  #identifier(expression: Of<'identifier'>): Estimated {
    const { name } = expression;
    const local = this.#locals.get(name)?.at(-1);
    const type = this.#variables.types.get(expression) ?? local?.type ?? dyn;
    return this.part({ cost: 1, type, path: local === undefined ? Path.of(name) : local.path, local });
  }

  #select(expression: Of<'select'>, type: StaticType): Estimated {
    if (isTypeName(expression, this.#variables)) return this.part({ cost: 1, type, path: Path.of('') });
    const operand = this.estimate(expression.operand);
    if (expression.optional) return this.part({ cost: plus(1, operand.cost), type });
    const { kind } = operand.type;
    const own = kind === 'map' || kind === 'object' ? 1 : 0;
    return this.part({ cost: plus(own, operand.cost), type, path: Path.append(operand.path, expression.field) });
  }

  #index(expression: Of<'index'>, type: StaticType): Estimated {
    const operand = this.estimate(expression.operand);
    const index = this.estimate(expression.index);
    const cost = plus(1, plus(operand.cost, index.cost));
    const { kind } = operand.type;
    if (expression.optional || kind === 'optional') return this.part({ cost, type });
    const path = Path.append(operand.path, kind === 'map' ? '@values' : '@items');
    return settled(this.part({ cost, type, path, size: operand.entries?.value }));
  }

  #list(expression: Of<'list'>, type: StaticType): Estimated {
    let cost = listCost;
    let value: Range | undefined;
    for (const { value: item } of expression.items) {
      const part = this.estimate(item);
      cost = plus(cost, part.cost);
      value = either(value, part.sizeOrUnknown);
    }
    const entries: EntrySizes = { container: 'list', key: fixed(1), value: value ?? fixed(0) };
    return this.part({ cost, type, written: expression.items.length, entries });
  }

  #map(expression: Of<'map'>, type: StaticType): Estimated {
    let cost = mapCost;
    let [key, value]: (Range | undefined)[] = [];
    for (const entry of expression.entries) {
      const [name, member] = [this.estimate(entry.key), this.estimate(entry.value)];
      cost = plus(cost, plus(name.cost, member.cost));
      key = either(key, name.sizeOrUnknown);
      value = either(value, member.sizeOrUnknown);
    }
    const entries: EntrySizes = { container: 'map', key: key ?? fixed(0), value: value ?? fixed(0) };
    return this.part({ cost, type, written: expression.entries.length, entries });
  }

  #message(expression: Of<'message'>, type: StaticType): Estimated {
    let cost = structCost;
    for (const { value } of expression.fields) cost = plus(cost, this.estimate(value).cost);
    return this.part({ cost, type });
  }

  #call(expression: Of<'call'>, type: StaticType): Estimated {
    const macro = macroOf(expression);
    if (macro !== undefined) return estimateMacro(this, macro, type);
    const { name, isMember, operands } =
      expression.target === undefined && operators.has(expression.name)
        ? { name: expression.name, isMember: false, operands: expression.args }
        : resolve(expression, this.#variables);
    const [target, args] = isMember ? [operands[0], operands.slice(1)] : [undefined, operands];
    if (name === 'dyn') return this.#unchanged(args[0], type);
    const parts = args.map((argument) => settled(this.estimate(argument)));
    if (name === '_?_:_') return this.part({ ...conditionalEstimate(parts), type });
    const owner = target === undefined ? undefined : settled(this.estimate(target));
    const call = estimateCall({ name, target: owner, args: parts, root: this.root });
    const operandCost = [...parts, ...(owner === undefined ? [] : [owner])].reduce(
      (sum, { cost }) => plus(sum, cost),
      0,
    );
    return settled(this.part({ ...call, type, cost: plus(call.cost, operandCost) }));
  }

  #unchanged(argument: Expression | undefined, type: StaticType): Estimated {
    if (argument === undefined) return this.part({ cost: 1, type });
    const { cost, size, entries } = this.estimate(argument);
    return this.part({ cost: plus(1, cost), type, size, entries });
  }
}

/** The part, whose size is settled before the next part is looked at. */
function settled(part: Estimated): Estimated {
  void part.size;
  return part;
}

const either = (known: Range | undefined, next: Range): Range => (known === undefined ? next : unionOf(known, next));
