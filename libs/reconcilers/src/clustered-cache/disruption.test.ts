import type { ClusteredCache } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { cachePodTemplate, templateHashAnnotation } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';
import type { AdmissionRequest } from '@ordinal/runtime/webhooks';
import { expect, test } from 'vitest';
import { DisruptionGate } from './disruption.ts';
import { toBuild } from './template.ts';

const created = '2026-01-01T00:00:00Z';
const meta = { namespace: 'shop', resourceVersion: '1', creationTimestamp: created };
const cache = {
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: { ...meta, name: 'sessions', uid: 'cache' },
  spec: { replicas: 3, image: 'a', port: 80 },
} as ClusteredCache; // As the API server would default it.
const template = cachePodTemplate(toBuild(cache));
const set = {
  kind: 'StatefulSet',
  metadata: { ...meta, name: 'sessions', uid: 'set' },
  spec: { replicas: 3, template },
};
const podOf = (ordinal: number): Pod =>
  ({
    kind: 'Pod',
    metadata: {
      ...meta,
      name: `sessions-${ordinal}`,
      uid: `pod-${ordinal}`,
      labels: { 'app.kubernetes.io/name': 'clustered-cache', 'app.kubernetes.io/instance': 'sessions' },
      annotations: { [templateHashAnnotation]: template.metadata?.annotations?.[templateHashAnnotation] },
      ownerReferences: [{ uid: 'set', controller: true }],
    },
    status: {
      podIP: `10.0.0.${ordinal}`,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: created }],
    },
  }) as unknown as Pod; // All that is read of it.
const pods = [0, 1, 2].map(podOf);

const reader = {
  get: ({ kind }: { kind: string }, { name }: { name: string }) =>
    ({ ClusteredCache: cache, StatefulSet: set, Pod: pods.find(({ metadata }) => metadata.name === name) })[kind],
  list: () => pods,
  ownedBy: () => [],
} as unknown as CacheReader; // The three methods that are called.

function gate(status: () => number, time: { now: number } = { now: 0 }): DisruptionGate {
  const clock = { now: () => time.now, after: () => ({ cancel: () => undefined }) };
  const probes = {
    http: () => Promise.resolve({ status: status(), body: '' }),
    exec: () => Promise.reject(new Error('not asked')),
  };
  return new DisruptionGate({ reader, probes, clock, operator: 'ordinal' });
}

const signal = new AbortController().signal;
const request = (change: object): AdmissionRequest =>
  ({
    uid: 'r',
    resource: { group: '', version: 'v1', resource: 'pods' },
    namespace: 'shop',
    userInfo: { username: 'admin' },
    object: null,
    oldObject: null,
    ...change,
  }) as AdmissionRequest; // All that is read of it.
const eviction = (ordinal: number) =>
  request({ operation: 'CREATE', subResource: 'eviction', name: `sessions-${ordinal}` });
const deletion = (ordinal: number) =>
  request({ operation: 'DELETE', name: `sessions-${ordinal}`, oldObject: podOf(ordinal) });

test.each([
  ['an eviction', eviction(1)],
  ['a deletion', deletion(1)],
])('%s is answered with 429 while the gate is closed, so that a drain tries again', async (_what, asked) => {
  expect(await gate(() => 503).admit(asked, signal)).toMatchObject({
    allowed: false,
    code: 429,
    message: expect.stringContaining('HTTP 503'),
  });
  expect(await gate(() => 200).admit(asked, signal)).toEqual({ allowed: true });
});

test('of two drains at the same time, the second waits', async () => {
  const time = { now: 0 };
  const both = gate(() => 200, time);
  expect(await both.admit(eviction(1), signal)).toEqual({ allowed: true });
  expect(await both.admit(eviction(2), signal)).toMatchObject({ allowed: false, code: 429 });
  expect(await both.admit(eviction(1), signal)).toEqual({ allowed: true });
  time.now = 10_000;
  expect(await both.admit(eviction(2), signal)).toEqual({ allowed: true });
});

test('a dry run reserves nothing', async () => {
  const one = gate(() => 200);
  expect(await one.admit({ ...eviction(1), dryRun: true }, signal)).toEqual({ allowed: true });
  expect(await one.admit(eviction(2), signal)).toEqual({ allowed: true });
});

test.each([
  ['pods of others', request({ operation: 'DELETE', oldObject: { metadata: { name: 'x', labels: {} } } })],
  [
    'other resources',
    request({ operation: 'DELETE', resource: { group: '', version: 'v1', resource: 'secrets' }, oldObject: podOf(1) }),
  ],
  ['pods that are not known', request({ operation: 'CREATE', subResource: 'eviction', name: 'sessions-9' })],
])('%s pass', async (_what, asked) => {
  expect(await gate(() => 503).admit(asked, signal)).toEqual({ allowed: true });
});
