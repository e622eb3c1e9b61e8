import { describe, expect, it } from 'vitest';
import { noMetrics, silentLogger } from '../index.ts';
import { refusal } from '../../test/scripted-api.ts';
import { widget, widgets, world } from '../../test/world.ts';
import { ApiEventRecorder } from './recorder.ts';

interface Written {
  readonly note?: string;
  readonly series?: { readonly count: number };
}

async function recorded() {
  const w = world();
  let dropped = 0;
  const recorder = new ApiEventRecorder({
    client: w.user,
    clock: w.clock,
    log: silentLogger,
    metrics: { ...noMetrics, eventDropped: () => (dropped += 1) },
    reportingController: 'example.com/test',
    reportingInstance: 'test-0',
  });
  const regarding = await w.user(widgets).namespace('shop').create(widget('a'));
  const events = async (): Promise<readonly Written[]> => {
    const list = (await w.user.request('GET', '/apis/events.k8s.io/v1/namespaces/shop/events')) as {
      readonly items: readonly Written[];
    };
    return list.items;
  };
  return { w, recorder, regarding, events, dropped: () => dropped };
}

describe('events', () => {
  it('that repeat become one series', async () => {
    const { w, recorder, regarding, events } = await recorded();
    for (let n = 0; n < 5; n += 1) recorder.publish({ regarding, type: 'Warning', reason: 'Broken', note: 'no' });
    recorder.publish({ regarding, type: 'Warning', reason: 'Broken', note: 'something else' });
    await w.clock.advance(15_000);
    expect((await events()).map(({ note, series }) => [note, series?.count])).toEqual([
      ['no', 5],
      ['something else', undefined],
    ]);
  });

  it('that come long after begin anew', async () => {
    const { w, recorder, regarding, events } = await recorded();
    recorder.publish({ regarding, type: 'Normal', reason: 'Fine', note: 'yes' });
    await w.clock.advance(400_000);
    recorder.publish({ regarding, type: 'Normal', reason: 'Fine', note: 'yes' });
    await w.clock.advance(10);
    expect(await events()).toHaveLength(2);
  });

  it('of what lasts are written at most every so often, however often they are published', async () => {
    const { w, recorder, regarding, events } = await recorded();
    const lasting = { regarding, type: 'Warning', reason: 'Broken', note: 'no', atMostEveryMs: 1_600_000 } as const;
    const other = { regarding, type: 'Normal', reason: 'Step', note: 'x' } as const;
    for (const afterMs of [0, 10, 400_000, 1_199_980]) {
      await w.clock.advance(afterMs);
      recorder.publish(lasting);
      recorder.publish(other);
    }
    await w.clock.advance(15_000);
    const broken = () => events().then((all) => all.filter(({ note }) => note === 'no'));
    expect((await broken()).map(({ series }) => series)).toEqual([undefined]);
    recorder.publish(lasting);
    await w.clock.advance(10);
    expect(await broken()).toHaveLength(2);
  });

  it('of one object are limited in number, and what can not be written is counted', async () => {
    const { w, recorder, regarding, events, dropped } = await recorded();
    for (let n = 0; n < 40; n += 1) recorder.publish({ regarding, type: 'Normal', reason: 'Step', note: String(n) });
    await w.clock.advance(10);
    expect([(await events()).length, dropped()]).toEqual([25, 15]);
    w.api.intercept = () => refusal(403, 'Forbidden');
    await w.clock.advance(600_000);
    recorder.publish({ regarding, type: 'Normal', reason: 'Last', note: '' });
    await w.clock.advance(10);
    expect(dropped()).toBe(16);
  });

  it('of one namespace hold up those of another by a few writes, though there are ten thousand', async () => {
    const { w, recorder, dropped } = await recorded();
    const order: string[] = [];
    w.api.intercept = ({ method, path }) => {
      if (method === 'POST' && path.includes('/events')) order.push(path.split('/')[5] ?? '');
      return undefined;
    };
    const of = (namespace: string, n: number) => ({
      ...widget(`w-${n}`),
      metadata: { name: `w-${n}`, namespace, uid: `${namespace}-${n}` },
    });
    const publish = (namespace: string, n: number) =>
      recorder.publish({ regarding: of(namespace, n) as never, type: 'Normal', reason: 'Step', note: String(n) });
    for (let n = 0; n < 10_000; n += 1) publish('hostile', n);
    publish('other', 1);
    await w.clock.advance(10);
    expect(order.indexOf('other')).toBeLessThan(20);
    expect(order.length).toBeLessThan(300);
    expect(dropped()).toBe(10_001 - order.length);
  });
});
