import { createSecretKey } from 'node:crypto';
import { OutsideCalls, noMetrics } from '@ordinal/runtime';
import type { ClusteredCache } from '@ordinal/api';
import { ApiError } from '@ordinal/client';
import type { Client, Pod } from '@ordinal/client';
import { cachePodTemplate, cacheSelector, templateHashAnnotation } from '@ordinal/constructs';
import type { CacheReader } from '@ordinal/runtime';
import type { AdmissionRequest } from '@ordinal/runtime/webhooks';
import { describe, expect, test } from 'vitest';
import { DisruptionGate, SealedStatuses } from '@ordinal/lifecycle';
import { protectCaches } from './disruption.ts';
import { cacheMemory } from './memory.ts';
import { toBuild } from './template.ts';

const seals = { keys: () => [createSecretKey(Buffer.alloc(32, 'key'))] };
const statuses = new SealedStatuses(cacheMemory, seals);

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
      labels: cacheSelector({ name: 'sessions' }),
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

/** What the API server keeps of the cache, for all replicas. */
class Server {
  annotations: Record<string, string> = {};
  revision = 1;
  /** Called before each write: another one's may come in between. */
  meanwhile: () => void = () => undefined;
  writes = 0;

  read(): ClusteredCache {
    const { metadata } = cache;
    return { ...cache, metadata: { ...metadata, resourceVersion: `${this.revision}`, annotations: this.annotations } };
  }

  write(annotations: Record<string, string>, resourceVersion: string): void {
    this.meanwhile();
    if (resourceVersion !== `${this.revision}`) throw conflict();
    this.writes += 1;
    this.revision += 1;
    this.annotations = { ...this.annotations, ...annotations };
  }

  pods: readonly Pod[] = pods;
  /** The members that a list shows, where it is an old one. */
  listed: readonly Pod[] | undefined;
  isGone = false;
  isAway = false;

  get client(): Client {
    interface Patch {
      body: { metadata: { resourceVersion: string; annotations: Record<string, string> } };
    }
    const objects = (kind: string): readonly Pod[] =>
      ({ ClusteredCache: this.isGone ? [] : [this.read()], StatefulSet: [set], Pod: this.pods })[
        kind
      ] as unknown as Pod[]; // All that is read of them is their name.
    const resourceOf = ({ kind }: { readonly kind: string }) => ({
      find: (wanted: string) =>
        this.isAway
          ? Promise.reject(new Error('the API server is away'))
          : Promise.resolve(objects(kind).find(({ metadata }) => metadata.name === wanted)),
      list: ({ labelSelector }: { readonly labelSelector?: string }) =>
        Promise.resolve({
          // The cache is in one shard, and in no other.
          items: kind === 'Pod' ? (this.listed ?? objects(kind)) : labelSelector === 'half=ours' ? objects(kind) : [],
        }),
      patch: (_name: string, { body }: Patch) =>
        Promise.resolve().then(() => {
          this.write(body.metadata.annotations, body.metadata.resourceVersion);
          return this.read();
        }),
    });
    return ((descriptor: { readonly kind: string }) => ({
      namespace: () => resourceOf(descriptor),
    })) as unknown as Client; // The three methods that are called.
  }
}

const conflict = (): ApiError =>
  new ApiError(
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 409, reason: 'Conflict', message: 'it has changed' },
    'patch clusteredcaches shop/sessions',
  );

interface World {
  readonly server?: Server;
  /** What the operator sees, if not what is there. */
  readonly view?: CacheReader;
  readonly shard?: string;
  readonly time?: { now: number };
  readonly after?: (ms: number, run: () => void) => void;
}

function gate(
  status: () => number | Promise<number>,
  { server = new Server(), view = reader, shard, time = { now: 0 }, after }: World = {},
): DisruptionGate {
  const clock = {
    now: () => time.now,
    after: (ms: number, run: () => void) => {
      after?.(ms, run);
      return { cancel: () => undefined };
    },
  };
  const probes = {
    http: async () => ({ status: await status(), body: '' }),
    exec: () => Promise.reject(new Error('not asked')),
  };
  return new DisruptionGate({
    ...{ client: server.client, probes, clock, operator: 'ordinal' },
    protection: protectCaches({ reader: view, seals }),
    outside: new OutsideCalls({ clock, metrics: noMetrics }),
    ...(shard === undefined ? {} : { shard }),
  });
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
const deletionOf = (labels: Record<string, string>) =>
  request({ operation: 'DELETE', name: 'x', oldObject: { ...podOf(1), metadata: { ...podOf(1).metadata, labels } } });
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

describe('of two drains', () => {
  test('the second waits, at whichever replica, until the first member is seen to go', async () => {
    const [server, time, timers] = [new Server(), { now: 0 }, new Set<() => void>()];
    const after = (ms: number, run: () => void): void => void (ms === 30_000 && timers.add(run));
    const [one, other] = [gate(() => 200, { server, time, after }), gate(() => 200, { server, time, after })];
    expect(await one.admit(eviction(1), signal)).toEqual({ allowed: true });
    expect(await other.admit(eviction(2), signal)).toMatchObject({ allowed: false, code: 429 });
    expect(await other.admit(eviction(1), signal)).toEqual({ allowed: true });
    time.now = 3_600_000; // A clock that is set decides nothing: time passes by its timers.
    expect(await other.admit(eviction(2), signal)).toMatchObject({ allowed: false, code: 429 });
    timers.forEach((run) => run());
    expect(await other.admit(eviction(2), signal)).toEqual({ allowed: true });
  });

  test('at the same moment, one is let through', async () => {
    const server = new Server();
    const answers = await Promise.all(
      [1, 2].map((ordinal) => gate(() => 200, { server }).admit(eviction(ordinal), signal)),
    );
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(1);
    expect(server.writes).toBe(1);
  });
});

test('a change by others in between is no refusal', async () => {
  const server = new Server();
  let others = 1;
  server.meanwhile = () => {
    if (others > 0) server.revision += 1;
    others -= 1;
  };
  expect(await gate(() => 200, { server }).admit(eviction(1), signal)).toEqual({ allowed: true });
});

/** A server whose cache has this status, sealed but for its conditions. */
function saying(status: object): Server {
  const server = new Server();
  const sealed = statuses.sealed({ descriptor: cacheMemory.descriptor, object: cache, status });
  const said = { ...cache, status: sealed } as unknown as ClusteredCache;
  server.read = () => ({ ...said, metadata: { ...said.metadata, resourceVersion: '1' } });
  return server;
}

describe('is refused with 429', () => {
  test('what can’t be noted', async () => {
    const server = new Server();
    server.meanwhile = () => {
      throw new Error('the API server is away');
    };
    const verdict = await gate(() => 200, { server }).admit(eviction(1), signal);
    expect(verdict).toMatchObject({ allowed: false, code: 429, message: expect.stringContaining('is away') });
  });

  test('what is not decided before the API server stops waiting', async () => {
    const late: (() => void)[] = [];
    const after = (ms: number, run: () => void): void => void (ms === 4000 && late.push(run));
    const slow = gate(() => new Promise<number>(() => undefined), { after }).admit(eviction(1), signal);
    late.forEach((run) => run());
    expect(await slow).toMatchObject({ allowed: false, code: 429, message: expect.stringContaining('within 4 s') });
  });

  test('a member while the operator takes another one down', async () => {
    const upgrade = { step: 'TakingDown', podUID: 'pod-2', message: 'replacing sessions-2' };
    const server = saying({ upgrade });
    const verdict = await gate(() => 200, { server }).admit(eviction(1), signal);
    expect(verdict).toMatchObject({ allowed: false, message: expect.stringContaining('replacing sessions-2') });
    expect(await gate(() => 200, { server }).admit(eviction(2), signal)).toEqual({ allowed: true });
  });

  test('a member while the operator takes one down outside of an upgrade', async () => {
    const verdict = await gate(() => 200, { server: saying({ step: 'TakingDown' }) }).admit(eviction(1), signal);
    expect(verdict).toMatchObject({ allowed: false, message: expect.stringContaining('TakingDown') });
  });

  test.each([{ upgrade: { step: 'TakingDown', podUID: 'pod-2' } }, { step: 'TakingDown' }])(
    'a member while the operator takes another one down, whatever another client writes into conditions: %j',
    async (status) => {
      const conditions = [{ type: 'Progressing', status: 'False', reason: 'Settled', message: '' }];
      const verdict = await gate(() => 200, { server: saying({ ...status, conditions }) }).admit(eviction(1), signal);
      expect(verdict).toMatchObject({ allowed: false, code: 429 });
    },
  );

  test('a member while the status is not the operator’s own: it may be taking another one down', async () => {
    const { read } = saying({});
    const server = new Server();
    server.read = () => ({ ...read(), status: { seal: 'broken', upgrade: {} } }) as never; // As a user has written it.
    expect(await gate(() => 200, { server }).admit(eviction(1), signal)).toMatchObject({ allowed: false, code: 429 });
  });
});

test('no member is refused for a condition that another client has written', async () => {
  const conditions = [{ type: 'Progressing', status: 'True', reason: 'TakingDown', message: '' }];
  const server = saying({ conditions });
  expect(await gate(() => 200, { server }).admit(eviction(1), signal)).toEqual({ allowed: true });
});

describe('what was not judged, with too many requests or too late,', () => {
  const gone = { ...podOf(1), metadata: { ...podOf(1).metadata, deletionTimestamp: created } };
  const undecided = (asked: AdmissionRequest, world: World = {}) => gate(() => 200, world).undecided(asked, 'too many');

  test.each([
    ['an eviction', eviction(1)],
    ['a deletion', deletion(1)],
  ])('is refused with 429 where it is %s of a member', (_what, asked) => {
    expect(undecided(asked)).toMatchObject({
      ...{ allowed: false, code: 429 },
      message: 'sessions-1 may not go down yet: the operator can’t tell now (too many). Try again in a few seconds.',
    });
  });

  test.each([
    ['pods of others', deletionOf({})],
    ['pods that are not known', request({ operation: 'CREATE', subResource: 'eviction', name: 'sessions-9' })],
    ['pods that terminate already', request({ operation: 'DELETE', oldObject: gone })],
    ['what the operator itself deletes', { ...deletion(1), userInfo: { username: 'ordinal' } }],
    [
      'what is lost with its node',
      { ...deletion(1), userInfo: { username: 'system:serviceaccount:kube-system:pod-garbage-collector' } },
    ],
  ])('passes where it is about %s', (_what, asked) => {
    expect(undecided(asked)).toEqual({ allowed: true });
  });

  test('passes before the informers have begun, where only they could say whose pod it is', () => {
    const view = {
      get: () => {
        throw new Error('not started');
      },
    } as unknown as CacheReader; // The method that is called.
    expect(undecided(eviction(1), { view })).toEqual({ allowed: true });
    expect(undecided(deletion(1), { view })).toMatchObject({ allowed: false, code: 429 });
  });
});

test('a dry run notes nothing', async () => {
  const server = new Server();
  const one = gate(() => 200, { server });
  expect(await one.admit({ ...eviction(1), dryRun: true }, signal)).toEqual({ allowed: true });
  expect(server.writes).toBe(0);
  expect(await one.admit(eviction(2), signal)).toEqual({ allowed: true });
});

describe('what is seen is of a while ago', () => {
  const past = (present: readonly Pod[]): CacheReader =>
    ({
      ...reader,
      get: ({ kind }: { kind: string }, { name }: { name: string }) =>
        ({ ClusteredCache: cache, StatefulSet: set, Pod: present.find(({ metadata }) => metadata.name === name) })[
          kind
        ],
      list: () => present,
    }) as CacheReader; // The three methods that are called.
  const empty = { get: () => undefined, list: () => [], ownedBy: () => [] } as unknown as CacheReader; // As above.
  const terminating = pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: created } }));
  const unready = pods.map((pod) => ({ ...pod, status: {} }));

  test.each([
    ['nothing', empty],
    ['no members', past([])],
    ['members that do not serve', past(unready)],
    ['members that terminate', past(terminating)],
  ])('%s: a member may be deleted when its gate is open, and not before', async (_what, view) => {
    for (const asked of [eviction(1), deletion(1)]) {
      expect(await gate(() => 503, { view }).admit(asked, signal)).toMatchObject({
        ...{ allowed: false, code: 429 },
        message: expect.stringMatching(/HTTP 503|not ready/) as string,
      });
    }
    expect(await gate(() => 200, { view: empty }).admit(eviction(1), signal)).toEqual({ allowed: true });
  });

  test('a member that does not serve any more may be deleted', async () => {
    const server = new Server();
    server.pods = pods.map((pod, ordinal) => (ordinal === 1 ? { ...pod, status: {} } : pod));
    expect(await gate(() => 503, { server, view: empty }).admit(eviction(1), signal)).toEqual({ allowed: true });
    expect(server.writes).toBe(0);
  });

  test('of a cache that is gone, or that another installation keeps, members go', async () => {
    const server = new Server();
    expect(await gate(() => 503, { server, view: empty, shard: 'half=other' }).admit(eviction(1), signal)).toEqual({
      allowed: true,
    });
    expect(await gate(() => 503, { server, view: empty, shard: 'half=ours' }).admit(eviction(1), signal)).toMatchObject(
      {
        ...{ allowed: false, code: 429 },
      },
    );
    server.isGone = true;
    expect(await gate(() => 503, { server, view: empty }).admit(eviction(1), signal)).toEqual({ allowed: true });
  });

  test('what the API server lists is older than the request: it is made again', async () => {
    const server = new Server();
    server.listed = pods.slice(0, 1);
    const verdict = await gate(() => 200, { server, view: empty }).admit(eviction(1), signal);
    expect(verdict).toMatchObject({ allowed: false, code: 429, message: expect.stringContaining('does not list it') });
  });

  test('a pod that can’t be read passes, unless it was seen as a member’s', async () => {
    const server = new Server();
    server.isAway = true;
    expect(await gate(() => 503, { server, view: empty }).admit(eviction(1), signal)).toEqual({ allowed: true });
    expect(await gate(() => 503, { server }).admit(eviction(1), signal)).toMatchObject({ allowed: false, code: 429 });
  });
});

test.each([
  ['pods that its StatefulSet does not select', deletionOf({ ...cacheSelector({ name: 'sessions' }), app: 'other' })],
  ['pods of a cache without a name', deletionOf(cacheSelector({ name: '' }))],
  ['pods of others', request({ operation: 'DELETE', oldObject: { metadata: { name: 'x', labels: {} } } })],
  [
    'other resources',
    request({ operation: 'DELETE', resource: { group: '', version: 'v1', resource: 'secrets' }, oldObject: podOf(1) }),
  ],
  ['pods that are not known', request({ operation: 'CREATE', subResource: 'eviction', name: 'sessions-9' })],
])('%s pass', async (_what, asked) => {
  expect(await gate(() => 503).admit(asked, signal)).toEqual({ allowed: true });
});
