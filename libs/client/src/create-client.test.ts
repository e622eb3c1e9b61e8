import { describe, expect, it } from 'vitest';
import { pods, statefulSets } from './builtin/index.ts';
import { createClient } from './create-client.ts';
import { isApiError } from './error.ts';
import type { RequestRecord } from './metrics.ts';
import { scriptedTransport } from '../test/scripted-transport.ts';
import { virtualClock } from '../test/virtual-clock.ts';

const pod = (name: string) => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '7' },
  spec: { containers: [] },
});
const status = (code: number, reason: string, details: object = {}) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message: 'said the server',
  details,
});

describe('a client', () => {
  it('reads an object by its path', async () => {
    const transport = scriptedTransport([{ body: { kind: 'Pod', apiVersion: 'v1', ...pod('a') } }]);
    const found = await createClient({ transport, userAgent: 'shop/1' })(pods).namespace('shop').get('a');
    expect(found.metadata.uid).toBe('uid-a');
    expect(transport.sent[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/namespaces/shop/pods/a',
      headers: { accept: 'application/json', 'user-agent': 'shop/1' },
    });
  });

  it('finds nothing where the server says NotFound, and throws everything else', async () => {
    const transport = scriptedTransport([
      { status: 404, body: status(404, 'NotFound') },
      { status: 403, body: status(403, 'Forbidden') },
    ]);
    const shop = createClient({ transport })(pods).namespace('shop');
    expect(await shop.find('a')).toBeUndefined();
    await expect(shop.find('a')).rejects.toMatchObject({
      name: 'ApiError',
      code: 'Forbidden',
      message: 'get pods shop/a: said the server',
    });
  });

  it('lists page after page and names the kind of each item', async () => {
    const transport = scriptedTransport([
      {
        body: {
          kind: 'PodList',
          apiVersion: 'v1',
          metadata: { resourceVersion: '9', continue: 'more' },
          items: [pod('a'), pod('b')],
        },
      },
      { body: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items: [pod('c')] } },
    ]);
    const list = await createClient({ transport })(pods).list({ limit: 2, labelSelector: 'app=x,tier!=y' });
    expect(list.resourceVersion).toBe('9');
    expect(list.items.map((item) => `${item.apiVersion} ${item.kind} ${item.metadata.name}`)).toEqual([
      'v1 Pod a',
      'v1 Pod b',
      'v1 Pod c',
    ]);
    expect(transport.sent.map(({ path }) => path)).toEqual([
      '/api/v1/pods?labelSelector=app%3Dx%2Ctier!%3Dy&limit=2',
      '/api/v1/pods?labelSelector=app%3Dx%2Ctier!%3Dy&limit=2&continue=more',
    ]);
  });

  it('lists anew and in one piece when a page has expired', async () => {
    const transport = scriptedTransport([
      { body: { metadata: { resourceVersion: '9', continue: 'more' }, items: [pod('a')] } },
      { status: 410, body: status(410, 'Expired') },
      { body: { metadata: { resourceVersion: '12' }, items: [pod('a'), pod('b')] } },
    ]);
    const list = await createClient({ transport })(pods).list({ limit: 1 });
    expect([list.resourceVersion, list.items.length]).toEqual(['12', 2]);
    expect(transport.sent[2]?.path).toBe('/api/v1/pods');
  });

  it('projects each item while it parses', async () => {
    const transport = scriptedTransport([{ body: { metadata: { resourceVersion: '9' }, items: [pod('a')] } }]);
    const list = await createClient({ transport })(pods).list({
      project: (object) => ({ ...object, spec: undefined }),
    });
    expect(list.items[0]?.spec).toBeUndefined();
  });

  it('applies with manager and force, and lists what is in conflict', async () => {
    const conflict = status(409, 'Conflict', {
      causes: [{ reason: 'FieldManagerConflict', message: 'with "kubectl"', field: '.spec.replicas' }],
    });
    const transport = scriptedTransport([{ status: 409, body: conflict }]);
    const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web' } } as const;
    const refused = createClient({ transport })(statefulSets)
      .namespace('shop')
      .apply(set, { fieldManager: 'me', force: true });
    const error = await refused.catch((failure: unknown) => failure);
    expect(isApiError(error, 'Conflict') && error.status.details?.causes?.[0]?.field).toBe('.spec.replicas');
    expect(transport.sent[0]).toMatchObject({
      method: 'PATCH',
      path: '/apis/apps/v1/namespaces/shop/statefulsets/web?fieldManager=me&force=true',
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
  });

  it('tells a deleted object from one that is held', async () => {
    const held = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { ...pod('a').metadata, deletionTimestamp: 'now', finalizers: ['x'] },
    };
    const transport = scriptedTransport([
      { body: held },
      { body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } },
    ]);
    const shop = createClient({ transport })(pods).namespace('shop');
    expect(await shop.delete('a', { preconditions: { uid: 'uid-a' } })).toMatchObject({ outcome: 'deleting' });
    expect(await shop.delete('a')).toEqual({ outcome: 'deleted' });
    expect(JSON.parse(String(transport.sent[0]?.body))).toMatchObject({
      kind: 'DeleteOptions',
      preconditions: { uid: 'uid-a' },
    });
  });

  it('stores nothing through a dry-run client', async () => {
    const transport = scriptedTransport([
      { body: { kind: 'Pod', apiVersion: 'v1', ...pod('a') } },
      { body: { kind: 'Status', apiVersion: 'v1' } },
    ]);
    const shop = createClient({ transport }).dryRun()(pods).namespace('shop');
    await shop.patch('a', { type: 'merge', body: {} });
    await shop.delete('a');
    expect(transport.sent[0]?.path).toContain('?dryRun=All');
    expect(String(transport.sent[1]?.body)).toContain('"dryRun":["All"]');
  });

  it('impersonates with one header for each group', async () => {
    const transport = scriptedTransport([{ body: {} }]);
    await createClient({ transport })
      .impersonate({ name: 'ann', groups: ['a', 'b'] })
      .request('GET', '/version');
    expect(transport.sent[0]).toMatchObject({
      headers: { 'impersonate-user': 'ann' },
      repeatedHeaders: { 'impersonate-group': ['a', 'b'] },
    });
  });

  it('refuses names that would change the path', async () => {
    const shop = createClient({ transport: scriptedTransport([]) })(pods).namespace('shop');
    await expect(shop.get('')).rejects.toBeInstanceOf(TypeError);
    await expect(shop.delete('../services/x')).rejects.toBeInstanceOf(TypeError);
  });

  it('refuses an object of another namespace or kind', async () => {
    const shop = createClient({ transport: scriptedTransport([]) })(pods).namespace('shop');
    await expect(
      shop.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'other' } }),
    ).rejects.toBeInstanceOf(TypeError);
  });
});

describe('a client that retries', () => {
  const lost = { fail: 'ConnectionFailed' } as const;
  const refused = { fail: 'ConnectionFailed', unsent: true } as const;
  const found = { body: { kind: 'Pod', apiVersion: 'v1', ...pod('a') } };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } } as const;

  it('repeats reads, and writes that the server can not have seen', async () => {
    const clock = virtualClock();
    const transport = scriptedTransport([lost, { status: 503, text: 'no' }, found, refused, found]);
    const shop = createClient({ transport, clock, random: () => 0.5 })(pods).namespace('shop');
    await clock.runAll(shop.get('a'));
    await clock.runAll(shop.create(object));
    expect(transport.sent).toHaveLength(5);
  });

  it('asks for permission before each attempt, and sends nothing more without it', async () => {
    const clock = virtualClock();
    const transport = scriptedTransport([refused, found]);
    const shop = createClient({ transport, clock, random: () => 0.5 })(pods).namespace('shop');
    let asked = 0;
    const permit = (): void => {
      asked += 1;
      if (asked === 2) throw new Error('the lease is gone');
    };
    await expect(clock.runAll(shop.create(object, { permit }))).rejects.toThrow('the lease is gone');
    expect({ asked, sent: transport.sent.length }).toEqual({ asked: 2, sent: 1 });
  });

  it('never repeats a write that may have been carried out', async () => {
    const transport = scriptedTransport([lost, { status: 503, text: 'no' }, { body: {} }]);
    const shop = createClient({ transport })(pods).namespace('shop');
    await expect(shop.create(object)).rejects.toMatchObject({ code: 'ConnectionFailed' });
    await expect(shop.patch('a', { type: 'merge', body: {} })).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    expect(transport.sent).toHaveLength(2);
  });

  it('repeats an update only where a resourceVersion guards it', async () => {
    const clock = virtualClock();
    const transport = scriptedTransport([lost, found, lost]);
    const shop = createClient({ transport, clock })(pods).namespace('shop');
    await clock.runAll(shop.update({ ...object, metadata: { name: 'a', resourceVersion: '7' } }));
    await expect(shop.update(object)).rejects.toMatchObject({ code: 'ConnectionFailed' });
  });

  it('waits as long as an overloaded server asks, with all calls', async () => {
    const clock = virtualClock();
    const transport = scriptedTransport(
      [{ status: 429, text: 'Too many requests', headers: { 'retry-after': '7' } }, found, found],
      clock,
    );
    const shop = createClient({ transport, clock, random: () => 0 })(pods).namespace('shop');
    const first = shop.create(object);
    await clock.settle();
    const second = shop.get('a');
    await clock.runAll(Promise.all([first, second]));
    expect(transport.sentAt).toEqual([0, 7000, 7050]);
  });

  it('hands the 429 of a budget to the caller at once', async () => {
    const transport = scriptedTransport([
      {
        status: 429,
        body: status(429, 'TooManyRequests', { retryAfterSeconds: 10 }),
        headers: { 'retry-after': '10' },
      },
    ]);
    await expect(createClient({ transport }).pods.evict({ namespace: 'shop', pod: 'a' })).rejects.toMatchObject({
      code: 'TooManyRequests',
    });
    expect(transport.sent).toHaveLength(1);
  });

  it('ends with the deadline, its pauses included', async () => {
    const clock = virtualClock();
    const transport = scriptedTransport(['silence']);
    const waiting = createClient({ transport, clock })(pods).namespace('shop').get('a', { timeoutMs: 500 });
    await expect(clock.runAll(waiting)).rejects.toMatchObject({ code: 'TimedOut' });
    expect(clock.now()).toBe(500);
  });

  it('ends with the caller’s signal', async () => {
    const controller = new AbortController();
    const waiting = createClient({ transport: scriptedTransport(['silence']) })(pods).list({
      signal: controller.signal,
    });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'Aborted' });
  });

  it('tells of every request by verb and code', async () => {
    const records: RequestRecord[] = [];
    const clock = virtualClock();
    const transport = scriptedTransport([lost, found]);
    const client = createClient({ transport, clock, metrics: { observe: (record) => records.push(record) } });
    await clock.runAll(client(pods).namespace('shop').get('a'));
    expect(records.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`)).toEqual([
      'get pods ConnectionFailed',
      'get pods 200',
    ]);
  });
});
