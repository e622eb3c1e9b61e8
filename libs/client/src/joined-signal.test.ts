import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { joinSignals } from './joined-signal.ts';

describe('joined signals', () => {
  it('abort with the reason of the first that aborts', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const { signal } = joinSignals(first.signal, second.signal);
    second.abort('second');
    first.abort('first');
    expect(signal.reason).toBe('second');
  });

  it('are aborted at once where one of the sources is', () => {
    const { signal } = joinSignals(new AbortController().signal, AbortSignal.abort('before'));
    expect(signal.reason).toBe('before');
  });

  it('leave no listener behind, released or aborted', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const released = joinSignals(first.signal, second.signal);
    joinSignals(first.signal, second.signal);
    released.release();
    expect(getEventListeners(first.signal, 'abort')).toHaveLength(1);
    second.abort();
    expect(getEventListeners(first.signal, 'abort')).toHaveLength(0);
    expect(released.signal.aborted).toBe(false);
  });
});
