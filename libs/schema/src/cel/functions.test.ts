import { describe, expect, it } from 'vitest';
import { compileSchema } from '../compiled-schema.ts';
import { fieldErrorBody } from '../field-error.ts';
import { cel } from './index.ts';

// The same rules, and many more, are asked of a real API server by bench/schema/expression-agreement.ts.
const hold: Record<string, readonly string[]> = {
  quantities: [
    "quantity('1.5Gi').isGreaterThan(quantity('1500M'))",
    "quantity('100m').add(quantity('900m')) == quantity('1')",
    "isQuantity('1Ki') && !isQuantity('1KB') && !isQuantity('')",
    "quantity('1k').asInteger() == 1000 && !quantity('1m').isInteger()",
    "sign(quantity('-1')) == -1",
  ],
  urls: [
    "isURL('https://a:80/b?c=d') && !isURL('a') && !isURL('https://a b/')",
    "url('https://[::1]:80/x').getHost() == '[::1]:80' && url('https://[::1]:80/x').getHostname() == '::1'",
    "url('https://a/x y').getEscapedPath() == '/x%20y'",
    "url('https://a/?k=1&k=2').getQuery()['k'] == ['1', '2']",
  ],
  addresses: [
    "ip('10.0.0.1').family() == 4 && ip('::1').isLoopback() && !isIP('::ffff:1.2.3.4')",
    "ip.isCanonical('::1') && !ip.isCanonical('0::1')",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').containsIP('10.255.0.1')",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8')",
  ],
  formats: [
    "!format.dns1123Label().validate('my-label').hasValue()",
    "format.named('uuid').value().validate('x').value() == ['does not match the UUID format']",
    "!format.named('none').hasValue()",
  ],
  versions: [
    "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))",
    "semver('v1.2', true).minor() == 2 && !isSemver('1.2')",
  ],
  texts: [
    "'Hello, Wörld'.find('[A-Z]ö') == 'Wö' && 'a1b2'.findAll('[0-9]') == ['1', '2']",
    "'tacocat'.indexOf('a', 2) == 5 && 'tacocat'.lastIndexOf('a') == 5 && 'ö'.size() == 1",
    "'a,b'.split(',').join('-') == 'a-b' && ' a '.trim() == 'a'",
    "'%s %d %.1f %x'.format(['a', 1, 2.25, 255]) == 'a 1 2.2 ff'",
  ],
  lists: [
    '[3, 1].sum() == 4 && [3, 1].min() == 1 && [1, 3].isSorted() && [1, 2].indexOf(2) == 1',
    '[3, 1].sort() == [1, 3] && [1, 1].distinct() == [1] && [[1], [2]].flatten() == [1, 2] && lists.range(2) == [0, 1]',
    'sets.contains([1, 2], [1]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1], [1])',
  ],
  comprehensions: [
    '[1, 2].all(x, x > 0) && [1, 2].exists_one(x, x == 2) && [1, 2].map(x, x > 1, x * 2) == [4]',
    "{'a': 1}.all(k, v, k == 'a' && v == 1) && {'a': 1}.transformMap(k, v, v + 1)['a'] == 2",
    "['a'].transformList(i, v, string(i) + v) == ['0a'] && {'a': 'b'}.transformMapEntry(k, v, {v: k})['b'] == 'a'",
    '[1, 0].exists(x, 1 / x == 1)',
  ],
  optionals: [
    "{'a': 1}.?a.value() == 1 && {'a': 1}[?'b'].orValue(2) == 2 && [1][?5].hasValue() == false",
    'optional.of(1).optMap(x, x + 1).value() == 2 && optional.none().or(optional.of(3)).value() == 3',
    "[?optional.none(), 1] == [1] && {?'a': optional.of(1)} == {'a': 1}",
  ],
  times: [
    "timestamp('2024-02-29T23:30:00Z').getHours('Europe/Berlin') == 0 && duration('90m').getMinutes() == 90",
    "timestamp('2024-03-01T00:00:00Z') - timestamp('2024-02-29T00:00:00Z') == duration('24h')",
    "string(duration('1.5s')) == '1.5s' && string(timestamp('2024-01-01T00:00:00.5Z')) == '2024-01-01T00:00:00.5Z'",
  ],
};

describe.each(Object.entries(hold))('rules about %s', (_, rules) => {
  it.each(rules)('%s', (rule) => {
    const compiled = compileSchema({ type: 'object', 'x-kubernetes-validations': [{ rule }] }, { cel });
    expect(compiled.validate({}).map(fieldErrorBody)).toEqual([]);
  });
});

// Where each space is tried as the first of those at the end, this takes minutes.
it('trims a text of nothing but spaces inside in one pass', () => {
  const rule = "self.trim().size() == self.size() - 2 && '\u0085\ufeff\u00a0'.trim() == '\ufeff'";
  const text = { type: 'string', maxLength: 300_000, 'x-kubernetes-validations': [{ rule }] };
  const compiled = compileSchema({ type: 'object', properties: { text } }, { cel });
  expect(compiled.validate({ text: ` a${' '.repeat(256 * 1024)}a ` }).map(fieldErrorBody)).toEqual([]);
});
