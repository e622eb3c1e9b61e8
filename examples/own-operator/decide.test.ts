import type { ConfigMap, Deployment } from '@ordinal/client';
import { plan } from '@ordinal/lifecycle';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import type { Observation } from './decide.ts';
import type { Website } from './website.ts';

const now = Date.UTC(2026, 0, 1);
const metadata = {
  name: 'hello',
  namespace: 'web',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: '',
  generation: 1,
};
const held = { ...metadata, finalizers: ['example.com/dns-record'] };
const spec = { page: '<h1>Hello</h1>', host: 'hello.example.com', replicas: 2 };
const site = (change: Partial<Website> = {}): Website => ({
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: held,
  spec,
  ...change,
});
const record = { host: 'hello.example.com', target: 'ingress.example.com' };
const seen = (change: Partial<Observation> = {}): Observation => ({
  site: site(),
  content: undefined,
  server: undefined,
  record: undefined,
  ...change,
});

test('a new Website gets its finalizer before anything else', () => {
  expect(plan(decide(seen({ site: site({ metadata }) }), now))).toEqual([
    'add finalizer example.com/dns-record to Website web/hello, because its DNS record is deleted before it goes',
  ]);
});

test('what is missing is made, and Ready says so in an event', () => {
  const lines = plan(decide(seen(), now));
  expect(lines).toContain('apply ConfigMap web/hello, because it does not exist');
  expect(lines).toContain('apply Deployment web/hello, because it does not exist');
  expect(lines).toContainEqual(expect.stringMatching(/^call .*"put".*, because the record is missing or another one$/));
  expect(lines).toContain('event Normal Starting: 0 of 2 ready');
});

test('what is as wanted is left alone, and only a transition is an event', () => {
  const { actions } = decide(seen(), now);
  // The server shows what was applied, with more of its own.
  const [content, server] = actions.map((action) => (action.kind === 'apply' ? action.object : undefined));
  const status = { readyReplicas: 2 };
  const settled = {
    content: content as ConfigMap,
    server: { ...server, status } as Deployment,
    record,
  };
  const first = decide(seen(settled), now);
  expect(first.actions).toEqual([]);
  expect(first.events).toEqual([{ type: 'Normal', reason: 'Serving', note: '2 of 2 ready' }]);
  const after = site({ status: first.status?.status as NonNullable<Website['status']> });
  const second = decide(seen({ ...settled, site: after }), now + 60_000);
  expect(second.events).toEqual([]);
  expect(second.status?.status).toEqual(first.status?.status);
});

test('a Website that is deleted keeps its finalizer until its DNS record is seen to be gone', () => {
  const leaving = site({ metadata: { ...held, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  const first = plan(decide(seen({ site: leaving, record }), now));
  expect(first).toContainEqual(expect.stringMatching(/^call .*"delete"/));
  expect(first.join()).not.toContain('finalizer');
  expect(plan(decide(seen({ site: leaving }), now))).toEqual([
    'remove finalizer example.com/dns-record from Website web/hello, because hello.example.com has no DNS record any more',
  ]);
});
