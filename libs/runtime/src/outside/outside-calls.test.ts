import { describe, expect, it } from 'vitest';
import { VirtualClock, settled } from '../../test/virtual-clock.ts';
import { noMetrics } from '../metrics/metrics.ts';
import { OutsideCalls } from './outside-calls.ts';
import type { OutsideLimits } from './outside-calls.ts';

interface Asked {
  readonly namespace: string;
  state: 'waiting' | 'under way' | 'done' | 'refused' | 'aborted';
  end: () => void;
}

function places(limits: OutsideLimits) {
  const clock = new VirtualClock();
  const gauge = { underWay: 0, waiting: 0, refused: 0 };
  const metrics = {
    ...noMetrics,
    outsideCalls: (underWay: number, waiting: number) => Object.assign(gauge, { underWay, waiting }),
    outsideRefused: () => (gauge.refused += 1),
  };
  const calls = new OutsideCalls({ clock, metrics, limits });
  const asked: Asked[] = [];
  const ask = (namespace: string, options: { signal?: AbortSignal; ahead?: boolean } = {}): Asked => {
    const one: Asked = { namespace, state: 'waiting', end: () => undefined };
    asked.push(one);
    const call = (): Promise<void> => {
      one.state = 'under way';
      return new Promise((resolve) => (one.end = resolve));
    };
    calls.run(namespace, call, { signal: new AbortController().signal, ...options }).then(
      () => (one.state = 'done'),
      (error: unknown) => (one.state = (error as { code?: string }).code === 'NoPlace' ? 'refused' : 'aborted'),
    );
    return one;
  };
  const underWay = (namespace: string): number =>
    asked.filter((one) => one.namespace === namespace && one.state === 'under way').length;
  return { clock, gauge, ask, underWay, asked };
}
const many = (count: number, make: () => unknown): void => void Array.from({ length: count }, make);

describe('places for calls to the outside', () => {
  it('are so many for a namespace at most, though it asks for a thousand', async () => {
    const { ask, underWay, gauge } = places({ total: 128, perNamespace: 16, waiting: 2000 });
    many(1000, () => ask('a'));
    await settled();
    expect(underWay('a')).toBe(16);
    expect(gauge).toMatchObject({ underWay: 16, waiting: 984 });
  });

  it('are left over for one more, where thirty namespaces want all of them', async () => {
    const { ask, underWay, gauge } = places({ total: 128, perNamespace: 16 });
    for (let n = 0; n < 30; n += 1) many(200, () => ask(`hostile-${n}`));
    await settled();
    expect(gauge.underWay).toBeGreaterThan(96);
    expect(gauge.underWay).toBeLessThan(128);
    ask('late');
    await settled();
    expect(underWay('late')).toBe(1);
  });

  it('go to the namespace that holds the fewest when one gets free, and round among those', async () => {
    const { ask, underWay, asked } = places({ total: 2, perNamespace: 2 });
    ask('a');
    ask('b');
    ask('a');
    ask('c');
    ask('d');
    await settled();
    expect([underWay('a'), underWay('b')]).toEqual([1, 1]);
    for (const next of ['c', 'd', 'a']) {
      asked.find(({ state }) => state === 'under way')?.end();
      await settled();
      expect(underWay(next)).toBe(1);
    }
  });

  it('go to what is announced before the rest of its namespace', async () => {
    const { ask, underWay } = places({ total: 1 });
    const first = ask('a');
    const looks = [ask('a'), ask('a')];
    const announced = ask('a', { ahead: true });
    await settled();
    first.end();
    await settled();
    expect(announced.state).toBe('under way');
    announced.end();
    await settled();
    expect(looks.map(({ state }) => state)).toEqual(['under way', 'waiting']);
    expect(underWay('a')).toBe(1);
  });

  it('are not waited for longer than is allowed, nor by more than may wait; and the call is not made', async () => {
    const { ask, clock, gauge } = places({ total: 1, waiting: 1, waitMs: 5_000 });
    const [, second, third] = [ask('a'), ask('a'), ask('a')];
    await settled();
    expect([second?.state, third?.state]).toEqual(['waiting', 'refused']);
    await clock.advance(5_000);
    expect(second?.state).toBe('refused');
    expect(gauge).toEqual({ underWay: 1, waiting: 0, refused: 2 });
  });

  it('are not taken by who has gone away, and are given back whatever a call ends with', async () => {
    const { ask, gauge } = places({ total: 1 });
    const leaving = new AbortController();
    const [first, second] = [ask('a'), ask('b', { signal: leaving.signal })];
    await settled();
    leaving.abort(new Error('gone'));
    await settled();
    expect(second.state).toBe('aborted');
    first.end();
    await settled();
    expect(gauge).toEqual({ underWay: 0, waiting: 0, refused: 0 });
    expect(ask('b', { signal: leaving.signal }).state).toBe('waiting');
    await settled();
    expect(gauge.underWay).toBe(0);
  });
});
