import { expect, test } from 'vitest';
import { beforeAbort } from './before-abort.ts';

const never = new Promise<never>(() => undefined);

test('an operation that never settles ends with its signal', async () => {
  const stop = new AbortController();
  const outcome = beforeAbort(stop.signal, never);
  stop.abort(new Error('the time is up'));
  await expect(outcome).rejects.toMatchObject({ code: 'Aborted', message: 'the time is up' });
});

test('a signal that was aborted before ends it at once', async () => {
  await expect(beforeAbort(AbortSignal.abort(new Error('too late')), never)).rejects.toMatchObject({ code: 'Aborted' });
});

test('what it comes to in time is its outcome', async () => {
  const { signal } = new AbortController();
  await expect(beforeAbort(signal, Promise.resolve(3))).resolves.toBe(3);
  await expect(beforeAbort(signal, Promise.reject(new Error('no')))).rejects.toThrow('no');
});
