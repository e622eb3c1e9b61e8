import { describe, expect, test } from 'vitest';
import type { Format } from './option.ts';
import { hostPattern, kubernetesName, labelSelector, namespaceName, network, secretPlace } from './format.ts';

const tables: Readonly<Record<string, readonly [format: Format, right: readonly string[], wrong: readonly string[]]>> =
  {
    'a namespace': [namespaceName, ['shop', 'a', 'team-1'], ['', 'Shop', 'a.b', '-a', 'a/b', '..', 'a'.repeat(64)]],
    'a name': [kubernetesName, ['ordinal-operator', 'a.b'], ['', 'A b', '.', 'a..b', 'a/b']],
    'the place of a Secret': [secretPlace, ['shop/account'], ['account', 'a/b/c', '../x', 'shop/', '/x', 'Shop/x']],
    'a network': [
      network,
      ['10.0.0.0/8', '127.0.0.1', '0.0.0.0/0', 'fd00::/8', '::1'],
      ['', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/', '10/8', 'fd00::/129', 'example.com', '10.0.0.0/8/8'],
    ],
    'a host': [
      hostPattern,
      ['db.example.com', '*.example.com', 'localhost', '10.0.0.1', 'fd00::1'],
      ['', 'https://db.example.com', 'db.example.com:443', '*', '*.*.com', 'a b', 'db.example.com/x'],
    ],
    'a label selector': [
      labelSelector,
      ['team', '!team', 'team=blue', 'team==blue, x!=y', 'example.com/team in (blue, red),a notin (b)', 'n>5', 'a='],
      ['', '==', 'team=blue=red', 'team in blue', 'team blue', 'a,,b', '/a=b', 'team=b l'],
    ],
  };

describe.each(Object.entries(tables))('%s', (_what, [format, right, wrong]) => {
  test.each(right)('may be %j', (text) => expect(format.takes(text)).toBe(true));
  test.each(wrong)('may not be %j', (text) => expect(format.takes(text)).toBe(false));
});
