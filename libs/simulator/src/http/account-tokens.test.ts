import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from '../index.ts';
import { builtinProgram } from '../programs/builtin-programs.ts';
import { listen } from './listen.ts';
import type { Listening } from './listen.ts';

let cluster: SimulatedCluster;
let listening: Listening;

beforeEach(async () => {
  cluster = await SimulatedCluster.start({ serviceAccounts: true, rbac: true });
  cluster.images.otherwise = builtinProgram;
  await cluster.advance(1000);
  listening = await listen(cluster);
});
afterEach(async () => {
  cluster.stop();
  await listening.close();
});

type Json = Readonly<Record<string, unknown>>;
const post = async (path: string, body: object): Promise<Json> => {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return (await (await fetch(`${listening.url}${path}`, init)).json()) as Json;
};
const core = '/api/v1/namespaces/default';
const tokenOf = async (spec: object = {}, account = 'default'): Promise<string> => {
  const { status } = (await post(`${core}/serviceaccounts/${account}/token`, { spec })) as {
    status: { token: string };
  };
  return status.token;
};
const review = async (token: string, audiences?: readonly string[]): Promise<unknown> =>
  (await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } }))['status'];
const as = (token: string, path: string): Promise<Response> =>
  fetch(`${listening.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
const audience = 'https://kubernetes.default.svc';

test('a token shows its service account, with the groups that it has, and what RBAC lets it do', async () => {
  const token = await tokenOf();
  expect(await review(token)).toMatchObject({
    authenticated: true,
    audiences: [audience],
    user: {
      username: 'system:serviceaccount:default:default',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
    },
  });
  expect((await as(token, `${core}/pods`)).status).toBe(403);
  expect((await as(token, '/api')).status).toBe(200);
});

test('a token counts for its audiences alone', async () => {
  const token = await tokenOf({ audiences: ['a', 'b'] });
  expect(await review(token, ['b', 'c'])).toMatchObject({ authenticated: true, audiences: ['b'] });
  expect(await review(token)).toEqual({
    user: {},
    error: `[invalid bearer token, token audiences ["a" "b"] is invalid for the target audiences ["${audience}"]]`,
  });
  expect((await as(token, '/api')).status).toBe(401);
});

test('a token that is changed or has expired counts for nothing, and one that is not ours is none', async () => {
  const token = await tokenOf({ expirationSeconds: 600 });
  expect(await review(`${token.slice(0, -2)}AA`)).toMatchObject({
    error: '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
  });
  expect(await review('none')).toEqual({ user: {}, error: 'invalid bearer token' });
  expect((await as('none', '/api')).status).toBe(200);
  await cluster.advance(659_000);
  expect(await review(token)).toMatchObject({ authenticated: true });
  await cluster.advance(2000);
  expect(await review(token)).toMatchObject({ error: '[invalid bearer token, service account token has expired]' });
  expect((await as(token, '/api')).status).toBe(401);
});

const read = async (name: string, path: string): Promise<string> => {
  const process = cluster.process('default', name);
  return ((await process?.exec(['cat', path], '')) ?? {}).stdout ?? '';
};

test('a pod has a token on its volume, which ends with it and is replaced in time', async () => {
  const spec = { containers: [{ name: 'main', image: 'busybox:1', command: ['sleep', '100000'] }] };
  await post(`${core}/pods`, { metadata: { name: 'a' }, spec });
  await cluster.advance(5000);
  const path = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  const token = await read('a', path);
  expect(await review(token)).toMatchObject({
    user: {
      extra: { 'authentication.kubernetes.io/pod-name': ['a'], 'authentication.kubernetes.io/node-name': ['node-1'] },
    },
  });
  expect(await read('a', path)).toBe(token);
  await cluster.advance(3_000_000);
  const next = await read('a', path);
  expect(next).not.toBe(token);
  await fetch(`${listening.url}${core}/pods/a`, { method: 'DELETE' });
  await cluster.advance(60_000);
  expect(await review(next)).toMatchObject({
    error: '[invalid bearer token, service account token has been invalidated]',
  });
});

test.each([
  [{ expirationSeconds: 60 }, 'may not specify a duration less than 10 minutes'],
  [
    { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'a' } },
    'cannot bind token to object of type /v1, Kind=ConfigMap',
  ],
  [{ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'a' } }, 'secrets "a" not found'],
])('a request for a token that can not be is refused: %j', async (spec, message) => {
  expect((await post(`${core}/serviceaccounts/default/token`, { spec }))['message']).toContain(message);
});
