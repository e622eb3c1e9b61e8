import { getConformanceSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { describe, expect, it } from 'vitest';
import { compile } from '../src/cel/compile/expression.ts';
import { inside } from '../src/cel/compile/scope.ts';
import type { Scope } from '../src/cel/compile/scope.ts';
import { dyn } from '../src/cel/compile/types.ts';
import { Variables } from '../src/cel/compile/variables.ts';
import { parse } from '../src/cel/syntax/parser.ts';
import { ArrayList, EntryMap, equal, typeName, TypeValue, Uint } from '../src/cel/values/value.ts';
import type { Value } from '../src/cel/values/value.ts';

// The conformance tests of cel-spec, but for what Kubernetes does not have: messages of protocol buffers, enums, the
// extensions math, encoders, bindings, block and proto, and containers.
const left =
  /TestAllTypes|google\.protobuf\.(?!Timestamp|Duration)|proto[23]|cel\.|base64\.|math\.|GlobalEnum|NestedEnum/;
const leftSections = new Set([
  'bindings_ext',
  'block_ext',
  'encoders_ext',
  'enums',
  'math_ext',
  'namespace',
  'proto2',
  'proto2_ext',
  'proto3',
  'wrappers',
  'type_deductions',
  'dynamic',
  'unknowns',
]);

/** Where Kubernetes' checker refuses what the tests take (lists and choices of unlike types, `1 == 1.0`), or a name is not declared. */
const differ = new Set([
  'unbound_is_runtime_error',
  'not_eq_list_length',
  'eq_mixed_types',
  'eq_list_elem_mixed_types',
  'qualified_ident',
  'map_field_select',
  'qualified_identifier_resolution_unchecked',
  'ident_with_longest_prefix_check',
  'not_eq_list_null',
  'eq_list_mixed_type_numbers',
  'not_eq_list_false_vs_types',
  'elem_in_mixed_type_list',
  'not_eq_list_elem_null',
  'dyn_heterogeneous_list',
  'list_elem_type_shortcircuit',
  'list_elem_type_exhaustive',
  'skip_check',
  'list support for string',
  'dyntype support for lists',
  'not_eq_list_mixed_type_numbers',
  'ne_mixed_types',
  'elem_in_mixed_type_list_cross_type',
  'mixed_type',
]);

type Case = ReturnType<typeof getConformanceSuite>['tests'][number]['original'];
interface Wire {
  readonly kind: { readonly case: string | undefined; readonly value?: unknown };
}

/** A value of the test data; undefined for messages. */
function read(wire: Wire | undefined): Value | undefined {
  const { case: kind, value } = wire?.kind ?? { case: undefined };
  switch (kind) {
    case 'nullValue':
      return null;
    case 'uint64Value':
      return new Uint(value as bigint);
    case 'typeValue':
      return new TypeValue(value as string);
    case 'listValue': {
      const items = (value as { values: Wire[] }).values.map(read);
      return items.every((item) => item !== undefined) ? new ArrayList(items) : undefined;
    }
    case 'mapValue': {
      const map = new EntryMap();
      for (const entry of (value as { entries: { key: Wire; value: Wire }[] }).entries)
        map.add(read(entry.key)!, read(entry.value)!);
      return map;
    }
    case 'int64Value':
    case 'doubleValue':
    case 'stringValue':
    case 'boolValue':
    case 'bytesValue':
      return value as Value;
    default:
      return undefined;
  }
}

function run(test: Case): Value {
  const names = [...test.typeEnv.map(({ name }) => name), ...Object.keys(test.bindings)];
  let scope: Scope | undefined;
  for (const [name, bound] of Object.entries(test.bindings))
    scope = inside(scope, name, read(bound.kind.value as Wire)!);
  // Literals of unlike types, which Kubernetes refuses, mean what they mean to the tests.
  const variables = Variables.of(names.map((name) => [name, dyn])).mixing();
  return compile(parse(test.expr), variables).run(scope);
}

function wanted({ resultMatcher }: Case): Value | 'error' | undefined {
  if (resultMatcher.case === 'evalError') return 'error';
  if (resultMatcher.case === undefined) return true;
  if (resultMatcher.case === 'value') return read(resultMatcher.value as Wire);
  return resultMatcher.case === 'typedResult' ? read(resultMatcher.value.result as Wire | undefined) : undefined;
}

describe.each(getConformanceSuite().suites.filter(({ name }) => !leftSections.has(name)))(
  'cel-spec $name',
  ({ suites }) => {
    const tests = suites.flatMap((suite) => suite.tests.map(({ original }) => original));
    const meant = tests.filter(
      (test) =>
        !left.test(test.expr) &&
        !differ.has(test.name) &&
        test.container === '' &&
        wanted(test) !== undefined &&
        !/ObjectValue|objectValue/.test(
          JSON.stringify(test, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
        ) &&
        !/^a\.[a-z]+\(\) \|\| true$/.test(test.expr),
    );

    it.each(meant)('$name: $expr', (test) => {
      const want = wanted(test);
      if (want === 'error') {
        expect(() => run(test)).toThrow();
        return;
      }
      const got = run(test);
      expect(typeName(got)).toBe(typeName(want!));
      expect(equal(got, want!) || (Number.isNaN(got) && Number.isNaN(want))).toBe(true);
    });
  },
);
