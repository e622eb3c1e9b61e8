import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import type { KubernetesObject, ResourceDescriptor } from '@ordinal/client';
import { systemClock } from '@ordinal/client';
import { convertedVersion, converting, readConversionReview } from '@ordinal/runtime/webhooks';
import type { WebhookAnswer } from '../admission/steps.ts';
import type { ApiReply, ApiRequest, JsonObject } from '../request.ts';
import { ApiServer } from '../server.ts';

interface Old extends KubernetesObject {
  readonly spec: { readonly address: string };
}
interface New extends KubernetesObject {
  readonly spec: { readonly host: string; readonly port: number; readonly mode?: string };
}

const timers = <T extends KubernetesObject>(version: string): ResourceDescriptor<T> => ({
  group: 'example.com',
  version,
  kind: 'Timer',
  plural: 'timers',
  scope: 'Namespaced',
});

const webhook = converting(
  timers<New>('v2'),
  [
    convertedVersion<New, Old>(timers<Old>('v1'), {
      toHub: ({ spec: { address } }) => ({
        spec: { host: address.split(':')[0] ?? '', port: Number(address.split(':')[1] ?? 80) },
      }),
      fromHub: ({ spec: { host, port } }) => ({ spec: { address: `${host}:${port}` } }),
    }),
  ],
  { keys: () => [createSecretKey(Buffer.alloc(32, 1))] },
);

const text = { type: 'string' };
const fields: Readonly<Record<string, JsonObject>> = {
  v1: { address: text },
  v2: { host: text, port: { type: 'integer' }, mode: text },
};

const definition = (storage: string): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'timers.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'timers', kind: 'Timer' },
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://operator.example/convert' } },
    },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === storage,
      schema: {
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields[name] } } },
      },
    })),
  },
});

const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
const named = { resource: definitions, name: 'timers.example.com' };

interface World {
  readonly server: ApiServer;
  readonly ask: (request: Partial<ApiRequest> & Pick<ApiRequest, 'verb'>, version: string) => Promise<ApiReply>;
  /** What the webhook does from now on; undefined: it converts. */
  fails: string | undefined;
}

/** `isLate`: the webhook only promises its answers. */
function world(isLate: boolean): World {
  let state = 1;
  const answer = (review: JsonObject): WebhookAnswer => {
    if (it.fails !== undefined) return { failed: it.fails };
    const body = JSON.stringify(review);
    return { review: JSON.parse(JSON.stringify(webhook.convert(readConversionReview(body)))) as JsonObject };
  };
  const server = new ApiServer({
    clock: systemClock,
    random: () => (state = (state * 48271) % 2147483647) / 2147483647,
    webhooks: ({ review }) => (isLate ? Promise.resolve().then(() => answer(review)) : answer(review)),
  });
  server.execute({ verb: 'create', resource: definitions, body: definition('v1') });
  const it: World = {
    server,
    fails: undefined,
    ask: (request, version) =>
      server.answer({
        namespace: 'default',
        ...request,
        resource: { group: 'example.com', version, plural: 'timers' },
      }),
  };
  return it;
}

const timer = (version: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Timer',
  metadata: { name },
  spec,
});
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

for (const isLate of [false, true])
  it(`each version reads, lists, watches and writes what the other one wrote (answers ${isLate ? 'later' : 'at once'})`, async () => {
    const { server, ask } = world(isLate);
    const seen: string[] = [];
    server.watch(
      { resource: { group: 'example.com', version: 'v2', plural: 'timers' } },
      { event: ({ type, object }) => void seen.push(`${type} ${JSON.stringify(object['spec'])}`) },
    );
    await ask({ verb: 'create', body: timer('v1', 'a', { address: 'a:1' }) }, 'v1');
    await ask({ verb: 'create', body: timer('v2', 'b', { host: 'b', port: 2, mode: 'Strict' }) }, 'v2');
    expect((await ask({ verb: 'get', name: 'b' }, 'v1')).body['spec']).toEqual({ address: 'b:2' });
    const merged = { verb: 'patch', patchType: 'merge', name: 'b', body: { spec: { address: 'c:3' } } } as const;
    expect((await ask(merged, 'v1')).body['spec']).toEqual({ address: 'c:3' });
    const { items } = (await ask({ verb: 'list' }, 'v2')).body as { readonly items: readonly JsonObject[] };
    expect(items.map(({ spec }) => spec)).toEqual([
      { host: 'a', port: 1 },
      { host: 'c', port: 3, mode: 'Strict' },
    ]);
    await ask({ verb: 'delete', name: 'a' }, 'v2');
    await settled();
    expect(seen).toEqual([
      'ADDED {"host":"a","port":1}',
      'ADDED {"host":"b","port":2,"mode":"Strict"}',
      'MODIFIED {"host":"c","port":3,"mode":"Strict"}',
      'DELETED {"host":"a","port":1}',
    ]);
    // What is stored is in the storage version, whoever wrote it.
    expect(server.store.get('timers.example.com', 'default/b')?.apiVersion).toBe('example.com/v1');
  });

it('a watch whose objects can not be converted ends, and what is kept in the version that is asked for is served on', async () => {
  const it = world(true);
  await it.ask({ verb: 'create', body: timer('v1', 'a', { address: 'a:1' }) }, 'v1');
  let ended = 0;
  it.server.watch(
    { resource: { group: 'example.com', version: 'v2', plural: 'timers' } },
    { event: () => undefined, end: () => void (ended += 1) },
  );
  await settled();
  it.fails = 'Post "https://operator.example/convert": connection refused';
  expect((await it.ask({ verb: 'create', body: timer('v1', 'b', { address: 'b:1' }) }, 'v1')).status).toBe(201);
  await settled();
  expect(ended).toBe(1);
  expect((await it.ask({ verb: 'list' }, 'v1')).status).toBe(200);
  expect((await it.ask({ verb: 'list' }, 'v2')).body).toMatchObject({
    code: 500,
    message: `conversion webhook for example.com/v1, Kind=Timer failed: ${it.fails}`,
  });
});

it('another storage version takes over with each write, and the old one stays in storedVersions until it is taken out', async () => {
  const { server, ask } = world(false);
  await ask({ verb: 'create', body: timer('v1', 'a', { address: 'a:1' }) }, 'v1');
  const { body: live } = server.execute({ ...named, verb: 'get' });
  const changed = server.execute({
    ...named,
    verb: 'update',
    body: { ...live, spec: definition('v2')['spec'] },
  });
  expect((changed.body['status'] as JsonObject)['storedVersions']).toEqual(['v1', 'v2']);
  const versionOf = (): string | undefined => server.store.get('timers.example.com', 'default/a')?.apiVersion;
  expect(versionOf()).toBe('example.com/v1');
  const { body } = await ask({ verb: 'get', name: 'a' }, 'v1');
  await ask({ verb: 'update', name: 'a', body }, 'v1');
  expect(versionOf()).toBe('example.com/v2');
  const removal = [{ op: 'remove', path: '/spec/versions/0' }];
  const patch = { ...named, verb: 'patch', patchType: 'json' } as const;
  expect(server.execute({ ...patch, body: removal }).body['message']).toMatch(
    'missing from spec.versions; v1 was previously',
  );
  server.execute({ ...patch, subresource: 'status', body: [{ op: 'remove', path: '/status/storedVersions/0' }] });
  expect(server.execute({ ...patch, body: removal }).status).toBe(200);
});

it('objects that are kept in a version of before get the defaults of its new schema, wherever it stands among the versions', async () => {
  const { server, ask } = world(false);
  const replace = (spec: JsonObject): void => {
    const { body: live } = server.execute({ ...named, verb: 'get' });
    expect(server.execute({ ...named, verb: 'update', body: { ...live, spec } }).status).toBe(200);
  };
  replace(definition('v2')['spec'] as JsonObject);
  await ask({ verb: 'create', body: timer('v2', 'a', { host: 'a', port: 1 }) }, 'v2');
  replace(definition('v1')['spec'] as JsonObject);
  const next = JSON.stringify(definition('v1')['spec'])
    .replace('"mode":{"type":"string"}', '"mode":{"type":"string","default":"Lax"}')
    .replace('"address":{"type":"string"}', '"address":{"type":"string"},"zone":{"type":"string"}');
  replace(JSON.parse(next) as JsonObject);
  expect((await ask({ verb: 'get', name: 'a' }, 'v2')).body['spec']).toEqual({ host: 'a', port: 1, mode: 'Lax' });
});
