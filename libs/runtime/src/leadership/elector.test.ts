import { afterEach, describe, expect, it } from 'vitest';
import { isApiError } from '@ordinal/client';
import { awaitChange, controller } from '../index.ts';
import type { Manager, Reconcile } from '../index.ts';
import { refusal } from '../../test/scripted-api.ts';
import { widget, widgets, world } from '../../test/world.ts';
import type { World } from '../../test/world.ts';

const started: Manager[] = [];
afterEach(async () => {
  for (const manager of started.splice(0)) await manager.stop();
});

const lease = { namespace: 'system', name: 'test', leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 };

function contender(w: World, identity: string, reconcile: Reconcile): Manager {
  const manager = w.manager({ identity, leaderElection: lease, drainMs: 5000 });
  manager.add(controller('widgets').for(widgets).reconcile(reconcile));
  started.push(manager);
  void manager.start();
  return manager;
}

const shop = 'shop';

describe('leadership', () => {
  it('lets one of two work', async () => {
    const w = world();
    await w.user(widgets).namespace(shop).create(widget('a'));
    const by: string[] = [];
    const first = contender(w, 'one', async () => (by.push('one'), awaitChange()));
    await w.clock.advance(1000);
    const second = contender(w, 'two', async () => (by.push('two'), awaitChange()));
    await w.clock.advance(20_000);
    expect({ by, leads: [first.leads(), second.leads()] }).toEqual({ by: ['one'], leads: [true, false] });
  });

  it('passes on at once when the leader stops, after its work has come to its end', async () => {
    const w = world();
    await w.user(widgets).namespace(shop).create(widget('a'));
    let finish = (): void => undefined;
    const first = contender(w, 'one', async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return awaitChange();
    });
    await w.clock.advance(1000);
    let took = false;
    contender(w, 'two', async () => ((took = true), awaitChange()));
    await w.clock.advance(1000);
    const stopped = first.stop();
    await w.clock.advance(4000);
    expect(took).toBe(false);
    finish();
    await w.clock.advance(1000);
    await stopped;
    expect(took).toBe(true);
  });

  it('refuses writes of a leader that is cut off, before anyone can take its place, and lets it stand again', async () => {
    const w = world();
    await w.user(widgets).namespace(shop).create(widget('a'));
    const outcomes: string[] = [];
    let proceed = (): void => undefined;
    const first = contender(w, 'one', async (key, { client }) => {
      if (outcomes.length > 0) return awaitChange();
      await new Promise<void>((resolve) => (proceed = resolve));
      try {
        await client(widgets)
          .namespace(key.namespace)
          .patch(key.name, { type: 'merge', body: { spec: { size: 9 } } });
        outcomes.push('written');
      } catch (error) {
        outcomes.push(isApiError(error) ? error.code : (error as { code: string }).code);
      }
      return awaitChange();
    });
    await w.clock.advance(1000);
    w.api.intercept = (request) => (request.path.includes('leases') ? refusal(503, 'ServiceUnavailable') : undefined);
    await w.clock.advance(2100);
    expect(first.leads()).toBe(false);
    proceed();
    await w.clock.advance(100);
    expect(outcomes).toEqual(['NotLeading']);
    w.api.intercept = () => undefined;
    await w.clock.advance(10_000);
    expect(first.leads()).toBe(true);
  });

  it('takes over when the holder has not renewed for the length of its lease', async () => {
    const w = world();
    const spec = {
      holderIdentity: 'gone',
      leaseDurationSeconds: 3,
      renewTime: '2020-01-01T00:00:00.000000Z',
      leaseTransitions: 4,
    };
    const body = JSON.stringify({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'test' },
      spec,
    });
    w.api.handle({ method: 'POST', path: '/apis/coordination.k8s.io/v1/namespaces/system/leases', body });
    const manager = contender(w, 'one', async () => awaitChange());
    await w.clock.advance(2500);
    expect(manager.leads()).toBe(false);
    await w.clock.advance(1500);
    expect(manager.leads()).toBe(true);
  });

  it('refuses durations in which a deposed leader could still write', () => {
    expect(() => world().manager({ leaderElection: { ...lease, renewDeadlineMs: 3000 } })).toThrow(RangeError);
  });
});
