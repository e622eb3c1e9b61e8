import { TransportError } from '@ordinal/client';
import { afterEach, describe, expect, it } from 'vitest';
import { awaitChange, controller } from '../index.ts';
import type { Manager, Reconcile } from '../index.ts';
import { parts, widget, widgets, world } from '../../test/world.ts';
import type { World } from '../../test/world.ts';

const started: Manager[] = [];
afterEach(async () => {
  for (const manager of started.splice(0)) await manager.stop();
});

const shop = 'shop';
const broken = (): Error => new TransportError('ConnectionFailed', 'reset');

function start(the: World, reconcile: Reconcile): void {
  const manager = the.manager();
  manager.add(
    controller('widgets')
      .for(widgets)
      .watches(parts, ({ metadata: { namespace = '', name } }) => [{ namespace, name }])
      .reconcile(reconcile),
  );
  started.push(manager);
  void manager.start();
}

const part = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: shop } });

const restores = ({ log }: World): readonly string[] => log.filter((line) => line.includes('older state'));

/** Starts a manager that makes a part for each widget, while all watches break; answers what it saw in each reconcile. */
function startMaker(the: World): (number | undefined)[] {
  const doubts: (number | undefined)[] = [];
  start(the, async (key, { cache, client, restoredAt }) => {
    doubts.push(restoredAt);
    if (cache.get(widgets, key) === undefined || cache.get(parts, key) !== undefined) return awaitChange();
    the.api.endWatches(broken());
    await client(parts).namespace(key.namespace).create(part(key.name));
    return awaitChange();
  });
  return doubts;
}

describe('a manager whose own write was not seen when a watch broke', () => {
  it('takes an object that another client has deleted meanwhile for deleted, not for lost', async () => {
    const the = world();
    const { user, clock } = the;
    const doubts = startMaker(the);
    await clock.advance(1000);
    await user(widgets).namespace(shop).create(widget('a'));
    await the.rest();
    await user(parts).namespace(shop).delete('a');
    await user(widgets).namespace(shop).delete('a');
    await clock.advance(30_000);
    expect(restores(the)).toEqual([]);
    expect(doubts.filter((doubt) => doubt !== undefined)).toEqual([]);
  });

  it('does so also where the server does not know the revision of the watch any more', async () => {
    const the = world();
    const { user, api, clock } = the;
    const doubts = startMaker(the);
    await clock.advance(1000);
    await user(widgets).namespace(shop).create(widget('a'));
    await the.rest();
    await user(parts).namespace(shop).delete('a');
    await user(widgets).namespace(shop).delete('a');
    api.compact();
    await clock.advance(30_000);
    expect(restores(the)).toEqual([]);
    expect(doubts.filter((doubt) => doubt !== undefined)).toEqual([]);
  });

  it.each([
    ['can resume', false],
    ['has to list', true],
  ])('makes the deleted object once more where it is still wanted: it %s', async (_what, isCompacted) => {
    const the = world();
    const { user, api, clock } = the;
    startMaker(the);
    await clock.advance(1000);
    await user(widgets).namespace(shop).create(widget('a'));
    await the.rest();
    await user(parts).namespace(shop).delete('a');
    if (isCompacted) api.compact();
    await clock.advance(30_000);
    expect(await user(parts).namespace(shop).find('a')).toBeDefined();
    expect(restores(the)).toEqual([]);
  });
});

describe('a manager whose unseen writes are lost with the store, before anybody asks for a revision that the new history has passed', () => {
  /** A part is changed, and others are made, on one widget's behalf while the watches are slow; the store is restored to the state before that. */
  async function lose(alsoMade: readonly string[]): Promise<{ readonly the: World; readonly doubts: unknown[] }> {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    await user(parts).namespace(shop).create(part('a'));
    const doubts: unknown[] = [];
    let backup = api.backUp();
    start(the, async (key, { cache, client, restoredAt }) => {
      if (restoredAt !== undefined) doubts.push(restoredAt);
      if (cache.get(widgets, key)?.spec.size !== 2 || restoredAt !== undefined) return awaitChange();
      backup = api.backUp();
      api.holdEvents = true;
      const made = client(parts).namespace(key.namespace);
      await made.patch('a', { type: 'merge', body: { data: { size: '2' } } });
      for (const name of alsoMade) await made.create(part(name));
      return awaitChange();
    });
    await clock.advance(1000);
    await user(widgets)
      .namespace(shop)
      .patch('a', { type: 'merge', body: { spec: { size: 2 } } });
    await the.rest();
    let isHeld = true;
    api.intercept = async ({ method }) => {
      while (method === 'GET' && isHeld) await new Promise<void>((resolve) => clock.after(100, resolve));
      return undefined;
    };
    api.restore(backup);
    api.holdEvents = false;
    for (const name of ['c', 'd', 'e', 'f']) await user(widgets).namespace(shop).create(widget(name));
    isHeld = false;
    await clock.advance(30_000);
    return { the, doubts };
  }

  it.each([
    ['a change', []],
    ['a change, and later ones of objects that are not there any more', ['b', 'b2']],
  ])('notices it by an object that is older than its own write of it: %s', async (_what, alsoMade) => {
    const { the, doubts } = await lose(alsoMade);
    expect(restores(the)).toHaveLength(1);
    expect(doubts.length).toBeGreaterThan(0);
  });
});

it('notices a restore by the revision of a list alone, where no object is another one than it was', async () => {
  const the = world();
  const { user, api, clock } = the;
  await user(widgets).namespace(shop).create(widget('a'));
  start(the, async () => awaitChange());
  await clock.advance(1000);
  const backup = api.backUp();
  await user(widgets).namespace(shop).create(widget('later'));
  await user(widgets).namespace(shop).delete('later');
  await clock.advance(1000);
  api.restore(backup);
  await clock.advance(30_000);
  expect(restores(the)).toHaveLength(1);
});

it('lists again where it has seen a deletion last: of what a restored store has never had, that object is gone as well', async () => {
  const the = world();
  const { user, api, clock } = the;
  const uids: (string | undefined)[] = [];
  await user(widgets).namespace(shop).create(widget('a'));
  start(the, async (key, { cache }) => {
    uids.push(cache.get(parts, key)?.metadata.uid);
    return awaitChange();
  });
  await clock.advance(1000);
  const backup = api.backUp();
  await user(parts).namespace(shop).create(part('a'));
  await user(parts).namespace(shop).create(part('b'));
  await user(parts).namespace(shop).delete('b');
  await clock.advance(1000);
  let isHeld = true;
  api.intercept = async ({ method }) => {
    while (method === 'GET' && isHeld) await new Promise<void>((resolve) => clock.after(100, resolve));
    return undefined;
  };
  api.restore(backup);
  await user(widgets).namespace(shop).create(widget('c'));
  const again = await user(parts).namespace(shop).create(part('a'));
  for (const name of ['d', 'e', 'f']) await user(widgets).namespace(shop).create(widget(name));
  isHeld = false;
  await clock.advance(30_000);
  await user(widgets)
    .namespace(shop)
    .patch('a', { type: 'merge', body: { spec: { size: 3 } } });
  await clock.advance(1000);
  expect(uids.at(-1)).toBe(again.metadata.uid);
});
