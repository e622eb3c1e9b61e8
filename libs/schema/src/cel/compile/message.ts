import { structCost } from '../cost/limits.ts';
import type { Expression } from '../syntax/ast.ts';
import { noSuchOverload } from '../values/error.ts';
import { Message } from '../values/message.ts';
import { Optional } from '../values/value.ts';
import type { Value } from '../values/value.ts';
import type { Compiled } from './compiled.ts';
import { compile } from './expression.ts';
import { charge } from './scope.ts';
import type { Scope } from './scope.ts';
import { CelCompileError, dyn } from './types.ts';
import type { Variables } from './variables.ts';

const patchFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** `Object.spec{replicas: 3}` and `JSONPatch{op: "add", …}`: a map with the names of its fields. What else it may have, the object's schema says later. */
export function compileMessage(expression: Expression & { kind: 'message' }, variables: Variables): Compiled {
  const { name } = expression;
  const isPatch = name === 'JSONPatch';
  if (!variables.messages || !(isPatch || /^Object(\.|$)/.test(name)))
    throw new CelCompileError(`undeclared reference to '${name}' (in container '')`);
  const fields = expression.fields.map(({ name: field, value, optional }) => {
    if (isPatch && !patchFields.has(field)) throw new CelCompileError(`undefined field '${field}'`);
    return { field, optional, compiled: compile(value, variables) };
  });
  const run = (scope: Scope | undefined): Value => {
    const message = new Message(name);
    for (const { field, optional, compiled } of fields) {
      const value = compiled.run(scope);
      if (optional && !(value instanceof Optional)) throw noSuchOverload();
      const present = value instanceof Optional && optional ? value.value : value;
      if (present !== undefined) message.add(field, present);
    }
    charge(scope, structCost);
    return message;
  };
  return { run, type: dyn, form: 'call' };
}
