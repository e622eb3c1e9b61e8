import { afterEach, describe, expect, it } from 'vitest';
import { TransportError } from '@ordinal/client';
import type { TransportReply } from '@ordinal/client';
import { awaitChange, controller } from '../index.ts';
import type { Manager, Reconcile } from '../index.ts';
import { refusal } from '../../test/scripted-api.ts';
import { parts, widget, widgets, world } from '../../test/world.ts';
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
