import type { ClusteredCacheSpec } from '@ordinal/api';
import { expect, test } from 'vitest';
import { member } from '../../../lifecycle/test/rollout/seen.ts';
import { checkFor } from './questions.ts';

/** A cache with one gate, or with a check of its replacements, as the API server would default it. */
const spec = (upgrade: object): ClusteredCacheSpec =>
  ({ replicas: 3, image: 'cache:1', port: 6379, upgrade }) as ClusteredCacheSpec; // As far as it is read.

const of = member(0);
const lag = { name: 'lag', max: 0 };

test.each([
  ['as it is given', { scheme: 'HTTPS', via: 'Proxy', port: 9121, path: '/lag' }],
  [
    'over the pod’s own address, where nothing is given',
    { scheme: 'HTTP', via: 'PodIP', port: 6379, path: '/metrics' },
  ],
])('a metric is asked for %s', (what, request) => {
  const metric = what === 'as it is given' ? { ...lag, ...request } : { ...lag, path: '/metrics' };
  const gate = { about: 'gate', gate: 'lag', of, candidate: member(1) } as const;
  const expected = { kind: 'metric', metric: { request: { ...request, method: 'GET' }, name: 'lag', max: 0 } };
  expect(checkFor(gate, spec({ gates: [{ name: 'lag', target: 'Self', metric }] }))).toMatchObject(expected);
  expect(checkFor({ about: 'sync', of }, spec({ sync: { metric } }))).toMatchObject(expected);
});
