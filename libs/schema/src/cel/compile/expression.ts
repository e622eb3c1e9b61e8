import type { Expression } from '../syntax/ast.ts';
import { CelError } from '../values/error.ts';
import { TypeValue, Uint } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import { compileIndex, compileSelect } from './access.ts';
import { compileCall } from './call.ts';
import { compileList, compileMap } from './collections.ts';
import type { Compiled } from './compiled.ts';
import { compileMessage } from './message.ts';
import { compileMacro } from './macros.ts';
import { charge, lookUp } from './scope.ts';
import { CelCompileError, simple } from './types.ts';
import type { Variables } from './variables.ts';

const typeNames = new Map(
  ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type', 'optional_type'].map(
    (name) => [name, new TypeValue(name)],
  ),
);

/**
 * Makes closures of an expression, and notes the type of each part with the variables. Throws {@link CelCompileError} for a name, field or function that is
 * not known.
 */
export function compile(expression: Expression, variables: Variables): Compiled {
  const compiled = compilePart(expression, variables);
  variables.types.set(expression, compiled.type);
  return compiled;
}

function compilePart(expression: Expression, variables: Variables): Compiled {
  switch (expression.kind) {
    case 'literal':
      return compileLiteral(expression.value);
    case 'identifier':
      return compileIdentifier(expression.name, variables);
    case 'select':
      return compileSelect(expression, variables);
    case 'index':
      return compileIndex(expression, variables);
    case 'list':
      return compileList(expression, variables);
    case 'map':
      return compileMap(expression, variables);
    case 'message':
      return compileMessage(expression, variables);
    case 'call':
      return compileMacro(expression, variables) ?? compileCall(expression, variables);
  }
}

/** A constant. */
export function compileLiteral(literal: (Expression & { kind: 'literal' })['value']): Compiled {
  const value: Value =
    typeof literal === 'object' && literal !== null && 'uint' in literal ? new Uint(literal.uint) : literal;
  return { run: () => value, type: simple(literalTypeName(value)), form: 'constant' };
}

const literalTypes = { boolean: 'bool', bigint: 'int', number: 'double', string: 'string' } as const;

function literalTypeName(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return value instanceof Uint ? 'uint' : 'bytes';
  return literalTypes[typeof value as keyof typeof literalTypes];
}

function compileIdentifier(name: string, variables: Variables): Compiled {
  const type = variables.get(name);
  if (type === undefined) {
    const typeValue = typeNames.get(name);
    if (typeValue === undefined) throw new CelCompileError(`undeclared reference to '${name}' (in container '')`);
    return { run: () => typeValue, type: simple('type'), form: 'constant' };
  }
  return {
    run: (scope) => {
      const value = lookUp(scope, name);
      if (value === undefined) throw new CelError(`no such attribute: ${name}`);
      charge(scope, 1);
      return value;
    },
    type,
    form: 'attribute',
  };
}
