import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, TransportError } from '@ordinal/client';
import type { KubernetesObject, TransportReply, WatchEvent } from '@ordinal/client';
import { awaitChange, controller } from '../index.ts';
import { CacheBudget } from '../cache/budget.ts';
import { KindCache } from '../cache/kind-cache.ts';
import type { WatchSource } from '../cache/reflector-options.ts';
import { defaultTiming } from '../cache/timing.ts';
import { OwnWrites } from './own-writes.ts';
import type { Manager, Reconcile } from '../index.ts';
import { refusal } from '../../test/scripted-api.ts';
import { parts, widget, widgets, world } from '../../test/world.ts';
import { VirtualClock } from '../../test/virtual-clock.ts';
import type { World } from '../../test/world.ts';

const started: Manager[] = [];
afterEach(async () => {
  for (const manager of started.splice(0)) await manager.stop();
});

const shop = 'shop';
const part = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'part', namespace: shop } };

/** A controller that deletes the first part that it sees. Gives how many parts it saw, round by round. */
function deleter({ manager }: World): readonly number[] {
  const seen: number[] = [];
  let first: string | undefined;
  const reconcile: Reconcile = async (_key, { cache, client }) => {
    const [one] = cache.list(parts);
    seen.push(cache.list(parts).length);
    first ??= one?.metadata.uid;
    if (one !== undefined && one.metadata.uid === first) await client(parts).namespace(shop).delete('part');
    return awaitChange();
  };
  const running = manager();
  running.add(controller('widgets').for(widgets).reads(parts).reconcile(reconcile));
  started.push(running);
  void running.start();
  return seen;
}

describe('an object that is made again under its name before the reply to its deletion comes', () => {
  it('is not waited for to be gone', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    await user(parts).namespace(shop).create(part);
    api.intercept = async (request): Promise<TransportReply | undefined> => {
      if (request.method !== 'DELETE') return undefined;
      const reply = api.handle(request);
      await user(parts).namespace(shop).create(part);
      await new Promise<void>((resolve) => clock.after(1000, resolve)); // Both have been seen by then.
      return reply;
    };
    const seen = deleter(the);
    await clock.advance(10_000);
    await user(widgets)
      .namespace(shop)
      .patch('a', { type: 'merge', body: { spec: { size: 2 } } });
    await clock.advance(10_000);
    expect(seen).toEqual([1, 1]);
  });

  it('is not waited for to be gone where the reply was lost, and it was missing when that was looked up', async () => {
    const the = world();
    const { user, api, clock } = the;
    await user(widgets).namespace(shop).create(widget('a'));
    await user(parts).namespace(shop).create(part);
    api.intercept = async (request): Promise<TransportReply | undefined> => {
      if (request.method === 'DELETE') {
        api.handle(request);
        throw new TransportError('ConnectionFailed', 'reset');
      }
      if (request.method !== 'GET' || !request.path.includes('/part')) return undefined;
      await user(parts).namespace(shop).create(part);
      await new Promise<void>((resolve) => clock.after(1000, resolve));
      return refusal(404, 'NotFound');
    };
    const seen = deleter(the);
    await clock.advance(60_000);
    expect(seen).toEqual([1, 1]);
  });
});

describe('a write of an object that the selection of the cache leaves out', () => {
  /** A cache of blue parts whose server has none, and lists again from this revision on after the write of one that is not blue. */
  async function writeGreen(listed: string): Promise<{ readonly changes: unknown[]; readonly restores: unknown[] }> {
    const clock = new VirtualClock();
    let endWatch = (): void => undefined;
    let revision = '10';
    const source = {
      list: () => Promise.resolve({ items: [], resourceVersion: revision }),
      // eslint-disable-next-line require-yield -- It ends without an event.
      watch: async function* (): AsyncGenerator<WatchEvent<KubernetesObject>> {
        await new Promise<void>((resolve) => (endWatch = resolve));
        throw new ApiError(
          { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 410, reason: 'Expired' },
          'watch',
        );
      },
    } as unknown as WatchSource; // What the reflector uses.
    const restores: unknown[] = [];
    const cache = new KindCache({
      descriptor: parts,
      selection: { labelSelector: 'colour=blue' },
      project: (object) => object,
      sources: [{ source }],
      budget: new CacheBudget({ objectBytes: 1000, totalBytes: 1000 }),
      clock,
      random: () => 0.5,
      timing: defaultTiming,
      onFailure: () => undefined,
      onRestored: (restored) => restores.push(restored.name),
      onWithheld: () => undefined,
    });
    const changes: unknown[] = [];
    cache.subscribe((change) => changes.push(change));
    const stop = new AbortController();
    const running = cache.run(stop.signal);
    await clock.advance(1000);
    const metadata = { ...part.metadata, labels: { colour: 'green' }, uid: 'u', resourceVersion: '12' };
    const green: KubernetesObject = { ...part, metadata: { ...metadata, creationTimestamp: '' } };
    new OwnWrites(() => cache).wrote('shop/a', parts, green);
    revision = listed;
    endWatch();
    await clock.advance(10_000);
    stop.abort();
    endWatch();
    await running;
    return { changes, restores };
  }

  it('is not awaited: that no list brings it is not reported as its deletion', async () => {
    expect(await writeGreen('12')).toEqual({ changes: [], restores: [] });
  });

  it('bounds what a list may show all the same', async () => {
    expect((await writeGreen('11')).restores).toEqual(['configmaps']);
  });
});
