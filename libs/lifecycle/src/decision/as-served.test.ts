import { expect, test } from 'vitest';
import { asServed } from './as-served.ts';
import { driftOf } from './drift.ts';

const driftBetween = (wanted: unknown, observed: unknown): string | undefined =>
  driftOf(observed, asServed(wanted, observed));

const volume = (sizeLimit: string) => ({ volumes: [{ name: 'scratch', emptyDir: { sizeLimit } }] });

test.each([
  ['a size limit', volume('1024Mi'), volume('1Gi')],
  ['requests', { requests: { cpu: '1100m', memory: '2048Ki' } }, { requests: { cpu: '1.1', memory: '2Mi' } }],
  ['the overhead', { overhead: { cpu: '1000m' } }, { overhead: { cpu: '1' } }],
  ['a divisor', { resourceFieldRef: { divisor: '1000m' } }, { resourceFieldRef: { divisor: '1' } }],
  ['a number as quantity', { limits: { cpu: 2 } }, { limits: { cpu: '2' } }],
  ['what is false anyway', { hostNetwork: false, minReadySeconds: 0 }, {}],
  ['an empty value', { env: [{ name: 'A', value: '' }] }, { env: [{ name: 'A' }] }],
  ['a list that is empty anyway', { tolerations: [] }, {}],
  [
    'an entry that another client put before it',
    volume('1024Mi'),
    { volumes: [{ name: 'other' }, ...volume('1Gi').volumes] },
  ],
])('%s in the server’s words is no drift', (_what, wanted, observed) => {
  expect(driftBetween(wanted, observed)).toBeUndefined();
});

test.each([
  ['another size limit', volume('1Gi'), volume('2Gi'), 'volumes.0.emptyDir.sizeLimit'],
  [
    'a size limit that was taken away',
    volume('1Gi'),
    { volumes: [{ name: 'scratch', emptyDir: {} }] },
    'volumes.0.emptyDir.sizeLimit',
  ],
  ['what was switched on', { hostNetwork: false }, { hostNetwork: true }, 'hostNetwork'],
  ['a text that only looks like a quantity', { args: ['1000m'] }, { args: ['1'] }, 'args.0'],
  ['an entry that is missing', { args: [''] }, {}, 'args'],
  ['a number of replicas', { replicas: 0 }, { replicas: 3 }, 'replicas'],
])('%s is drift', (_what, wanted, observed, path) => {
  expect(driftBetween(wanted, observed)).toBe(path);
});

/** A value as a cache gives it out. */
const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

test('what was found of two objects that never change holds for these two alone', () => {
  const wanted = frozen({ emptyDir: { sizeLimit: '1024Mi' } });
  const inOtherWords = frozen({ emptyDir: { sizeLimit: '1Gi' } });
  const other = frozen({ emptyDir: { sizeLimit: '2Gi' } });
  expect(asServed(wanted, inOtherWords)).toEqual(inOtherWords);
  expect(asServed(wanted, inOtherWords)).toBe(asServed(wanted, inOtherWords));
  expect(asServed(wanted, other)).toEqual(wanted);
  expect(asServed({ ...wanted, name: 'scratch' }, { ...inOtherWords, name: 'scratch' })).toEqual({
    ...inOtherWords,
    name: 'scratch',
  });
  const amounts = frozen({ cpu: '1000m' });
  const shown = frozen({ cpu: '1' });
  expect(asServed(amounts, shown)).toEqual(amounts);
  expect(asServed(amounts, shown, 'requests')).toEqual(shown);
});
