// Rules for the comparison of estimated costs: made from a grammar with a seed, over schemas with and without bounds.
import type { JsonSchemaProps } from '@ordinal/schema';
import { rules as everyFunction, schema as objectOfEveryType } from './expressions.ts';

/** A CRD's schema with one rule, by the schema's place in the corpus. */
export interface CorpusCase {
  readonly schema: number;
  readonly rule: string;
  readonly messageExpression?: string;
}

/** Schemas whose `spec`, or the items of whose `specs`, take the rule. */
export interface Corpus {
  readonly schemas: readonly JsonSchemaProps[];
  readonly cases: readonly CorpusCase[];
}

type Random = () => number;

/** A linear congruential generator: the same numbers everywhere. */
function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** `{bool|text=v#}` is a part of that kind, in which `v#` may stand for a text; `#` is a number that no other variable has. Short forms come first. */
const grammar: Readonly<Record<string, { readonly short: readonly string[]; readonly long: readonly string[] }>> = {
  text: {
    short: ["'abc'", "''", 'self.s', 'self.t', 'self.e'],
    long: [
      '{text} + {text}',
      '{text}.lowerAscii()',
      '{text}.trim()',
      '{text}.substring(2)',
      '{text}.charAt(1)',
      '{text}.replace({text0}, {text0})',
      '({bool} ? {text} : {text0})',
      '{list}.join({text0})',
      'string({int})',
      '{list}[1]',
      'self.?s.orValue({text0})',
      "{text}.find('[a-z]+')",
      'string(self.raw)',
      'strings.quote({text0})',
      "'%s-%d'.format([{text}, {int0}])",
      '{object}.name',
      "self.?t.optMap(q, q + 'x').orValue('n')",
      'dyn({text0})',
      "self.map[?{text0}].orValue('z')",
      '{list}.max()',
    ],
  },
  int: {
    short: ['1', '7', 'self.i', 'self.j'],
    long: [
      '{int} + {int}',
      'size({text})',
      '{list}.size()',
      '{text}.indexOf({text0})',
      '{ints}.sum()',
      '-({int})',
      '({bool} ? {int} : {int0})',
      '{object}.size',
      'int({text0})',
      'self.nums[{int0}]',
      '{list}.indexOf({text0})',
      'self.words.sortBy(w, w.size()).size()',
    ],
  },
  ints: {
    short: ['self.nums', '[1, 2]'],
    long: ['lists.range(9)', '{ints}.map(z, z + {int0})', 'self.nums.filter(z, z > {int0})'],
  },
  list: {
    short: ['self.words', "['a', 'bb']"],
    long: [
      '{list} + {list}',
      '{list}.map(m#, {text|text=m#})',
      '{list}.filter(f#, {bool|text=f#})',
      "{text}.split(',')",
      '{list}.sort()',
      '{list}.distinct()',
      '{list}.slice(0, 2)',
      '{object}.words',
      '[{text}, {text0}]',
      "{text}.findAll('[0-9]')",
      '{list}.reverse()',
      'self.words.sortBy(w, w)',
      'self.map.map(k#, self.map[k#])',
      '[{list0}, {list0}].flatten()',
      "self.words.transformList(i, w, w + 'x')",
    ],
  },
  object: { short: ['self.obj', 'self.list[0]'], long: [] },
  bool: {
    short: ['true', 'self.b', 'has(self.s)', 'has(self.obj.name)'],
    long: [
      '{text} == {text}',
      '{int} < {int}',
      '({bool} && {bool})',
      '({bool} || {bool})',
      '!({bool})',
      '{list}.all(a#, {bool|text=a#})',
      '{list}.exists(e#, {bool|text=e#})',
      '{list}.exists_one(x#, {bool|text=x#})',
      'self.list.all(o#, {bool|object=o#|text=o#.name|list=o#.words})',
      'self.list.exists(o#, {bool|object=o#|text=o#.name|list=o#.words})',
      '{list}.all(i#, w#, {bool|int=i#|text=w#})',
      'self.map.all(k#, v#, {bool|text=k#})',
      'self.deep.all(k#, self.deep[k#].all(y#, {bool|object=y#|text=y#.name}))',
      "{text}.matches('^[a-z]+$')",
      '{text}.contains({text0})',
      '{text}.startsWith({text0})',
      '{text} in {list}',
      '{text} < {text0}',
      '{list} == {list0}',
      'sets.contains({list}, {list0})',
      "quantity({text0}).isLessThan(quantity('1Gi'))",
      'isQuantity({text})',
      "ip('1.2.3.4') == ip({text0})",
      "cidr('10.0.0.0/8').containsIP({text0})",
      "isURL({text0}) && url({text0}).getHost() == 'a'",
      'format.dns1123Label().validate({text}).hasValue()',
      "self.dur < duration('1h')",
      "self.time + duration('1h') > self.time",
      'self.port == 5',
      'type(self.port) == string',
      'string(self.port) == {text0}',
      'self.s in self.map',
      'isSemver({text0})',
      '{list}.isSorted()',
      "self.map.transformMap(k, v, v + 'a').size() > 1",
      "self.raw == b'abc'",
      'self.obj == self.obj',
      'self.list == self.list',
      "self.map == {'a': {text0}}",
      "{'a': {text}, 'b': 'c'}.a == 'x'",
      "self.list.map(q, q.words).exists(ws, 'a' in ws)",
      'optional.of({text}).hasValue()',
      'self.list.first().hasValue()',
    ],
  },
};

type Names = Readonly<Record<string, readonly string[]>>;

class Grammar {
  readonly #random: Random;
  #variables = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  expand(kind: string, depth: number, names: Names = {}): string {
    const { short, long } = grammar[kind]!;
    const template = this.#pick(depth <= 0 || long.length === 0 ? [...short, ...(names[kind] ?? [])] : long);
    const numbered = template.replaceAll('#', String(template.includes('#') ? this.#variables++ : ''));
    return numbered.replace(/\{([a-z]+)(0?)((?:\|\w+=[\w.]+)*)\}/g, (_, part: string, none: string, more: string) => {
      const declared = [...more.matchAll(/\|(\w+)=([\w.]+)/g)].map(
        ([, name = '', value = '']) => [name, value] as const,
      );
      const inner = declared.reduce<Names>(
        (all, [name, value]) => ({ ...all, [name]: [...(all[name] ?? []), value] }),
        names,
      );
      return this.expand(part, none === '' ? depth - 1 : 0, inner);
    });
  }

  #pick(choices: readonly string[]): string {
    return choices[Math.floor(this.#random() * choices.length)]!;
  }
}

/** An object with fields of every type, bounded here and there. */
function schemaOf(random: Random): JsonSchemaProps {
  const maybe = (part: JsonSchemaProps): JsonSchemaProps => (random() < 0.7 ? part : {});
  const upTo = (max: number): number => 1 + Math.floor(random() * max);
  const text = (): JsonSchemaProps => ({ type: 'string', ...maybe({ maxLength: upTo(200) }) });
  const list = (items: JsonSchemaProps, max: number): JsonSchemaProps => ({
    type: 'array',
    items,
    ...maybe({ maxItems: upTo(max) }),
  });
  const map = (values: JsonSchemaProps): JsonSchemaProps => ({
    type: 'object',
    additionalProperties: values,
    ...maybe({ maxProperties: upTo(20) }),
  });
  const item: JsonSchemaProps = {
    type: 'object',
    ...maybe({ required: ['name'] }),
    properties: { name: text(), size: { type: 'integer' }, words: list(text(), 20) },
  };
  const properties: Record<string, JsonSchemaProps> = {
    s: text(),
    t: text(),
    e: { type: 'string', enum: ['a', 'bbbb'] },
    i: { type: 'integer' },
    j: { type: 'integer' },
    b: { type: 'boolean' },
    dur: { type: 'string', format: 'duration' },
    time: { type: 'string', format: 'date-time' },
    raw: { type: 'string', format: 'byte', ...maybe({ maxLength: 40 }) },
    port: { 'x-kubernetes-int-or-string': true, ...maybe({ maxLength: 10 }) },
    words: list(text(), 50),
    nums: list({ type: 'integer' }, 50),
    list: list(item, 30),
    map: map(text()),
    deep: map(list(item, 9)),
    obj: item,
  };
  const spec: JsonSchemaProps = { type: 'object', ...maybe({ required: ['list', 's'] }), properties };
  return { type: 'object', properties: random() < 0.5 ? { spec } : { specs: list(spec, 50) } };
}

/** The corpus of a seed: every function once over an object of every type, and as many rules of the grammar as given. */
export function makeCorpus(seed: number, count: number): Corpus {
  const random = seeded(seed);
  const schemas = [
    structuredClone(objectOfEveryType) as JsonSchemaProps,
    ...Array.from({ length: 16 }, () => schemaOf(random)),
  ];
  const made = Array.from({ length: count }, (_, i): CorpusCase => {
    const rules = new Grammar(random);
    const schema = 1 + (i % (schemas.length - 1));
    const rule = rules.expand('bool', 1 + Math.floor(random() * 4));
    return random() < 0.1 ? { schema, rule, messageExpression: rules.expand('text', 2) } : { schema, rule };
  });
  return { schemas, cases: [...everyFunction.map((rule) => ({ schema: 0, rule })), ...made] };
}
