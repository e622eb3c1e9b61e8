import { createClient, isApiError, secrets } from '@ordinal/client';
import type { Transport } from '@ordinal/client';
import { expect, test } from 'vitest';
import { allowedOnly, isAllowed } from './allowed.ts';

const cache = '/apis/cache.my.domain/v1/namespaces/shop/clusteredcaches/sessions';

test.each([
  cache,
  '/apis/cache.my.domain/v1/clusteredcaches?limit=500',
  '/api/v1/namespaces/shop/pods?watch=1&resourceVersion=7',
  '/api/v1/namespaces/shop/pods/sessions-0',
  '/apis/apps/v1/namespaces/shop/statefulsets',
  '/apis/batch/v1/namespaces/shop/jobs',
  '/apis/events.k8s.io/v1/namespaces/shop/events',
  '/api/v1/namespaces/shop/pods/sessions-0:8080/proxy/ready-for-shutdown',
  '/api/v1/nodes',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  '/apis/discovery.k8s.io/v1/namespaces/policy/endpointslices?labelSelector=x',
])('GET %s is sent', (path) => expect(isAllowed('GET', path, false)).toBe(true));

test.each([
  '/api/v1/secrets',
  '/api/v1/namespaces/shop/secrets',
  '/api/v1/namespaces/shop/secrets/monitor',
  '/api/v1/namespaces/shop/pods/../secrets/monitor',
  '/api/v1/namespaces/shop/pods/%2e%2e/secrets',
  '/api/v1/namespaces/shop/pods/x/proxy/../../../secrets',
  '/api/v1/namespaces/shop/pods/x/proxy/%2E%2e/%2e%2E/secrets',
  '/api/v1/namespaces/shop/pods/x/proxy/..%2f..%2F..%2fsecrets',
  '/api/v1/namespaces/shop/pods/x/proxy/a%5c..\\..%5C..%5csecrets',
  '/api/v1/namespaces/shop/configmaps',
  '/api/v1/namespaces/shop/pods/sessions-0/log',
  '/api/v1/namespaces/shop/pods/sessions-0/exec',
  '/api/v1/namespaces/shop/services/x/proxy/',
  '/api/v1/nodes/n/proxy/pods',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apisXcache/v1/clusteredcaches',
  '/apis/cacheXmy.domain/v1/clusteredcaches',
  '/',
  '',
])('GET %s is not', (path) => expect(isAllowed('GET', path, true)).toBe(false));

test('a write is a patch of a resource, where it was asked for', () => {
  expect(isAllowed('PATCH', `${cache}?fieldManager=x`, true)).toBe(true);
  expect(isAllowed('PATCH', cache, false)).toBe(false);
  expect(isAllowed('PATCH', `${cache}/status`, true)).toBe(false);
  expect(isAllowed('PATCH', '/apis/apps/v1/namespaces/shop/statefulsets/sessions', true)).toBe(false);
  for (const method of ['POST', 'PUT', 'DELETE']) expect(isAllowed(method, cache, true)).toBe(false);
});

test('what is not sent is answered as if it were forbidden', async () => {
  const sent: string[] = [];
  const real: Transport = {
    send: ({ path }) => (sent.push(path), Promise.reject(new Error('nothing is sent in this test'))),
    connect: () => Promise.reject(new Error('nothing is opened in this test')),
    close: () => Promise.resolve(),
  };
  const client = createClient({ transport: allowedOnly(real, true), fieldManager: 'test' });
  const error: unknown = await client(secrets)
    .namespace('shop')
    .list()
    .catch((cause: unknown) => cause);
  expect(isApiError(error, 'Forbidden')).toBe(true);
  expect(sent).toEqual([]);
});
