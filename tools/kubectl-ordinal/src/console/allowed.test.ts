import { createClient, isApiError, secrets } from '@ordinal/client';
import type { Transport } from '@ordinal/client';
import { describe, expect, test } from 'vitest';
import { cache, set } from '../../test/resources.ts';
import type { OrdinalResource } from '../kinds.ts';
import { allowedOnly, isAllowed, isAllowedForPlan } from './allowed.ts';

const sessions = '/apis/cache.my.domain/v1/namespaces/shop/clusteredcaches/sessions';

test.each([
  sessions,
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
  expect(isAllowed('PATCH', `${sessions}?fieldManager=x`, true)).toBe(true);
  expect(isAllowed('PATCH', sessions, false)).toBe(false);
  expect(isAllowed('PATCH', `${sessions}/status`, true)).toBe(false);
  expect(isAllowed('PATCH', '/apis/apps/v1/namespaces/shop/statefulsets/sessions', true)).toBe(false);
  for (const method of ['POST', 'PUT', 'DELETE']) expect(isAllowed(method, sessions, true)).toBe(false);
});

describe('for a plan', () => {
  const ofNames = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
  const secrets = '/api/v1/namespaces/shop/secrets';
  const ledger = set() as unknown as OrdinalResource; // As it is read, as far as is looked at.
  const asked = (path: string, headers = {}, method: 'GET' | 'PATCH' = 'GET') =>
    isAllowedForPlan({ method, path, headers }, ledger);

  test('the names of Secrets are read, and those that the resource names', () => {
    expect(asked(`${secrets}?limit=500`, ofNames)).toBe(true);
    expect(asked(`${secrets}/monitor`)).toBe(true);
    expect(asked('/api/v1/namespaces/shop/pods')).toBe(true);
  });

  test('no values of others are read, and nothing is written', () => {
    expect(asked(secrets)).toBe(false);
    expect(asked(secrets, { accept: `${ofNames.accept},application/json` })).toBe(false);
    for (const path of [
      'other',
      'monitor/../other',
      '..%2fsecrets%2fother',
      'monitor%2f..%2fother',
      'monitor?x=/other',
    ])
      expect(asked(`${secrets}/${path}`)).toBe(false);
    expect(asked('/api/v1/secrets', ofNames)).toBe(false);
    expect(asked('/api/v1/namespaces/bank/secrets', ofNames)).toBe(false);
    expect(asked('/api/v1/namespaces/bank/secrets/monitor')).toBe(false);
    expect(asked(`${secrets}/monitor`, {}, 'PATCH')).toBe(false);
    expect(asked(sessions, {}, 'PATCH')).toBe(false);
    expect(isAllowedForPlan({ method: 'GET', path: `${secrets}/monitor` }, cache() as unknown as OrdinalResource)).toBe(
      false,
    );
  });
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
