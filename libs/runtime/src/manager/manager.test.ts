import { afterEach, describe, expect, it } from 'vitest';
import { TransportError } from '@ordinal/client';
import { awaitChange, controller, mapByIndex, requeueAfter } from '../index.ts';
import type { ControllerDefinition, Manager, Reconcile } from '../index.ts';
import { refusal } from '../../test/scripted-api.ts';
import { parts, widget, widgets, world } from '../../test/world.ts';

const started: Manager[] = [];
afterEach(async () => {
  for (const manager of started.splice(0)) await manager.stop();
});

function start(manager: Manager, ...definitions: readonly ControllerDefinition[]): Manager {
  for (const definition of definitions) manager.add(definition);
  started.push(manager);
  void manager.start();
  return manager;
}

const shop = 'shop';

describe('a manager', () => {
  it('reconciles what is there at the start and what comes later', async () => {
    const { user, manager, rest } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    const seen: string[] = [];
    start(
      manager(),
      controller('widgets')
        .for(widgets)
        .reconcile(async (key) => (seen.push(key.name), awaitChange())),
    );
    await rest();
    await user(widgets).namespace(shop).create(widget('b'));
    await rest();
    expect(seen).toEqual(['a', 'b']);
  });

  it('wakes the owner of a child', async () => {
    const { user, manager, rest } = world();
    const owner = await user(widgets).namespace(shop).create(widget('a'));
    const seen: string[] = [];
    start(
      manager(),
      controller('widgets')
        .for(widgets)
        .owns(parts)
        .reconcile(async (key) => (seen.push(key.name), awaitChange())),
    );
    await rest();
    const ownerReferences = [
      { apiVersion: 'example.com/v1', kind: 'Widget', name: 'a', uid: owner.metadata.uid, controller: true },
    ];
    await user(parts)
      .namespace(shop)
      .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', ownerReferences } });
    await rest();
    expect(seen).toEqual(['a', 'a']);
  });

  it('wakes everyone who mentions a changed object, through an index', async () => {
    const { user, manager, rest } = world();
    for (const name of ['a', 'b', 'c'])
      await user(widgets)
        .namespace(shop)
        .create(widget(name, 1, { secret: name === 'c' ? 'other' : 'shared' }));
    const seen: string[] = [];
    const definition = controller('widgets')
      .for(widgets, { indexes: { bySecret: (one) => [`${one.metadata.namespace ?? ''}/${one.spec.secret ?? ''}`] } })
      .watches(parts, mapByIndex('bySecret'))
      .reconcile(async (key) => (seen.push(key.name), awaitChange()));
    start(manager(), definition);
    await rest();
    seen.length = 0;
    await user(parts)
      .namespace(shop)
      .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' } });
    await rest();
    expect(seen).toEqual(['a', 'b']);
  });

  it('is not woken by its own status writes', async () => {
    const { user, manager, rest } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    let rounds = 0;
    const reconcile: Reconcile = async (key, { client }) => {
      rounds += 1;
      await client(widgets)
        .namespace(key.namespace)
        .status.patch(key.name, { type: 'merge', body: { status: { seen: rounds } } });
      return awaitChange();
    };
    start(manager(), controller('widgets').for(widgets).reconcile(reconcile));
    await rest();
    expect(rounds).toBe(1);
  });

  it('retries a failure with growing delays and never gives up', async () => {
    const { user, manager, clock } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    const failures: number[] = [];
    const reconcile: Reconcile = async (_key, context) => {
      failures.push(context.failures);
      throw new Error('no');
    };
    const backoff = { baseMs: 1000, capMs: 8000, jitter: 0 };
    start(manager(), controller('widgets').for(widgets).options({ backoff }).reconcile(reconcile));
    await clock.advance(0);
    expect(failures).toEqual([0]);
    await clock.advance(1000 + 2000 + 4000 + 8000 + 8000);
    expect(failures).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('looks again when a reconcile asked for it', async () => {
    const { user, manager, clock } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    let rounds = 0;
    start(
      manager(),
      controller('widgets')
        .for(widgets)
        .reconcile(async () => ((rounds += 1), requeueAfter(60_000))),
    );
    await clock.advance(59_000);
    expect(rounds).toBe(1);
    await clock.advance(62_000);
    expect(rounds).toBe(3);
  });

  it('works on a key once at a time, and again when it changed meanwhile', async () => {
    const { user, manager, rest } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    let active = 0;
    let max = 0;
    let rounds = 0;
    let release = (): void => undefined;
    const reconcile: Reconcile = async () => {
      rounds += 1;
      max = Math.max(max, (active += 1));
      await new Promise<void>((resolve) => (release = resolve));
      active -= 1;
      return awaitChange();
    };
    start(manager(), controller('widgets').for(widgets).options({ concurrency: 5 }).reconcile(reconcile));
    await rest();
    for (const size of [2, 3, 4])
      await user(widgets)
        .namespace(shop)
        .patch('a', { type: 'merge', body: { spec: { size } } });
    await rest();
    release();
    await rest();
    release();
    await rest();
    expect({ max, rounds }).toEqual({ max: 1, rounds: 2 });
  });

  it('does not reconcile a key on a cache that lacks its own writes', async () => {
    const { user, api, manager, rest } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    const seen: (number | undefined)[] = [];
    const reconcile: Reconcile = async (key, { cache, client }) => {
      const present = cache.list(parts).length;
      seen.push(present);
      const metadata = { generateName: 'part-', namespace: key.namespace };
      if (present === 0)
        await client(parts).namespace(key.namespace).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      return awaitChange();
    };
    start(manager(), controller('widgets').for(widgets).reads(parts).reconcile(reconcile));
    api.holdEvents = true;
    await rest();
    // A foreign change wakes the key while the creation has not come through the watch.
    api.holdEvents = false;
    await user(widgets)
      .namespace(shop)
      .patch('a', { type: 'merge', body: { spec: { size: 9 } } });
    await rest();
    expect(seen).toEqual([0]);
    api.releaseEvents();
    await rest();
    expect(seen).toEqual([0, 1]);
  });

  it('finds out what became of a creation whose reply was lost', async () => {
    const { user, api, manager, clock } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    let lost = false;
    api.intercept = (request) => {
      if (request.method !== 'POST' || lost || !request.path.includes('configmaps')) return undefined;
      lost = true;
      api.holdEvents = true;
      api.handle(request);
      api.holdEvents = false;
      throw new TransportError('ConnectionFailed', 'reset');
    };
    const reconcile: Reconcile = async (key, { cache, client }) => {
      if (cache.list(parts).length > 0) return awaitChange();
      const metadata = { generateName: 'part-', namespace: key.namespace };
      await client(parts).namespace(key.namespace).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      return awaitChange();
    };
    start(manager(), controller('widgets').for(widgets).reads(parts).reconcile(reconcile));
    await clock.advance(5000);
    api.releaseEvents();
    await clock.advance(60_000);
    const { items } = await user(parts).namespace(shop).list();
    expect(items).toHaveLength(1);
  });

  it('refuses to read a kind that was not declared', async () => {
    const { user, manager, rest } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    const errors: unknown[] = [];
    const reconcile: Reconcile = async (_key, { cache }) => {
      try {
        cache.list(parts);
      } catch (error) {
        errors.push(error);
      }
      return awaitChange();
    };
    start(manager(), controller('widgets').for(widgets).reconcile(reconcile));
    await rest();
    expect(errors).toEqual([expect.any(TypeError)]);
  });

  it('names kind and verb while a watch is forbidden, and is ready when it is not', async () => {
    const { api, manager, clock } = world();
    api.intercept = (request) => (request.path.includes('widgets') ? refusal(403, 'Forbidden') : undefined);
    const running = start(
      manager(),
      controller('widgets')
        .for(widgets)
        .reconcile(async () => awaitChange()),
    );
    await clock.advance(100);
    expect(running.readiness()).toMatchObject({
      ready: false,
      problems: [{ kind: 'widgets.example.com', verb: 'list', code: 'Forbidden' }],
    });
    api.intercept = () => undefined;
    await clock.advance(60_000);
    expect(running.readiness()).toEqual({ ready: true, problems: [], unsynced: [] });
  });

  it('drains what is under way before it stops', async () => {
    const { user, manager, rest } = world();
    await user(widgets).namespace(shop).create(widget('a'));
    let finish = (): void => undefined;
    let stopped = false;
    const reconcile: Reconcile = async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return awaitChange();
    };
    const running = start(manager(), controller('widgets').for(widgets).reconcile(reconcile));
    await rest();
    void running.stop().then(() => (stopped = true));
    await rest();
    expect(stopped).toBe(false);
    finish();
    await rest();
    expect(stopped).toBe(true);
  });

  it('keeps its caches current for as long as it is to linger, while another one has the lease already', async () => {
    const { user, manager, clock } = world();
    const seen: string[] = [];
    const definition = (by: string): ControllerDefinition =>
      controller('widgets')
        .for(widgets)
        .reconcile(async ({ name }) => (seen.push(`${name} by ${by}`), awaitChange()));
    const leaderElection = { namespace: 'system', name: 'lease' };
    const first = start(manager({ lingerMs: 15_000, leaderElection }), definition('the first'));
    await clock.advance(5_000);
    const second = start(manager({ identity: 'test-1', leaderElection }), definition('the second'));
    await clock.advance(5_000);
    let stopped = false;
    void first.stop().then(() => (stopped = true));
    await clock.advance(5_000);
    expect([first.leads(), second.leads()]).toEqual([false, true]);
    await user(widgets).namespace(shop).create(widget('later'));
    await clock.advance(9_000);
    expect(stopped).toBe(false);
    expect(first.reader('widgets').get(widgets, { namespace: shop, name: 'later' })).toBeDefined();
    expect(seen).toEqual(['later by the second']);
    await clock.advance(2_000);
    expect(stopped).toBe(true);
  });
});

describe('a manager on a bad network', () => {
  const faults: readonly [string, (w: ReturnType<typeof world>) => void][] = [
    ['a reset connection', ({ api }) => api.endWatches(new TransportError('ConnectionFailed', 'reset'))],
    ['a watch that the server ends', ({ api }) => api.endWatches()],
    [
      'a revision that the server has forgotten',
      ({ api }) => {
        api.endWatches();
        queueMicrotask(() => api.compact());
      },
    ],
    [
      'a server that fails for a while',
      ({ api, clock }) => {
        api.endWatches();
        api.compact();
        api.intercept = () => refusal(500, 'InternalError');
        clock.after(20_000, () => (api.intercept = () => undefined));
      },
    ],
  ];
  it.each(faults)('sees what happened during %s', async (_name, fault) => {
    const w = world();
    const { user, api, manager, clock } = w;
    const sizes: (number | undefined)[] = [];
    const reconcile: Reconcile = async (key, { cache }) => (
      sizes.push(cache.get(widgets, key)?.spec.size),
      awaitChange()
    );
    await user(widgets).namespace(shop).create(widget('a'));
    start(manager(), controller('widgets').for(widgets).reconcile(reconcile));
    await clock.advance(1000);
    api.holdEvents = true;
    api.handle({
      method: 'PATCH',
      path: '/apis/example.com/v1/namespaces/shop/widgets/a',
      body: '{"spec":{"size":7}}',
    });
    fault(w);
    await clock.advance(90_000);
    expect(sizes).toEqual([1, 7]);
  });

  it('gives a silent watch up and opens another', async () => {
    const { user, api, manager, clock } = world();
    const sizes: (number | undefined)[] = [];
    const reconcile: Reconcile = async (key, { cache }) => (
      sizes.push(cache.get(widgets, key)?.spec.size),
      awaitChange()
    );
    await user(widgets).namespace(shop).create(widget('a'));
    start(manager(), controller('widgets').for(widgets).reconcile(reconcile));
    await clock.advance(1000);
    api.holdEvents = true;
    await user(widgets)
      .namespace(shop)
      .patch('a', { type: 'merge', body: { spec: { size: 7 } } });
    await clock.advance(80_000);
    expect(sizes).toEqual([1]);
    await clock.advance(20_000);
    expect(sizes).toEqual([1, 7]);
  });

  it('does not list again when a watch is merely resumed', async () => {
    const { api, manager, clock } = world();
    start(
      manager(),
      controller('widgets')
        .for(widgets)
        .reconcile(async () => awaitChange()),
    );
    await clock.advance(10_000);
    for (let round = 0; round < 5; round += 1) {
      api.endWatches();
      await clock.advance(10_000);
    }
    expect(
      api.requests.filter((request) => !request.includes('watch=true') && !request.includes('limit=1')),
    ).toHaveLength(1);
  });
});
