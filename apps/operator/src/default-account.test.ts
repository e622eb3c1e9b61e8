import type { Client } from '@ordinal/client';
import { expect, test } from 'vitest';
import { DefaultAccount } from './default-account.ts';

/** An account whose Secret the test changes; `later` lets half a minute pass. */
function accountOf(place: string) {
  const state: { data: Record<string, string> | undefined; error?: Error } = { data: undefined };
  const logged: string[] = [];
  let due: (() => void) | undefined;
  const find = () => (state.error ? Promise.reject(state.error) : Promise.resolve(state.data && { data: state.data }));
  const client = (() => ({ namespace: () => ({ find }) })) as unknown as Client; // All that is asked of it.
  const clock = {
    now: () => 0,
    after: (_ms: number, run: () => void) => {
      due = run;
      return { cancel: () => (due = undefined) };
    },
  };
  const silent = (): void => undefined;
  const log = { debug: silent, info: silent, warn: silent, child: () => log, error: (_: object, text: string) => logged.push(text) }; // prettier-ignore
  const account = new DefaultAccount({ client, clock, log: log as never, place });
  const later = async (): Promise<void> => {
    due?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { account, state, logged, later, isWaiting: () => due !== undefined };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a Secret that is missing is a reason to wait, reported once, and is taken up when it comes', async () => {
  const { account, state, logged, later } = accountOf('ops/cloud');
  await account.start();
  const reason = '--provider-secret names ops/cloud, and there is no such Secret: create it';
  expect(() => account.current()).toThrow(reason);
  await later();
  expect(logged).toEqual([reason]);
  state.data = { provider: base64('http') };
  await later();
  expect(account.current()).toEqual({ provider: 'http' });
});

test('what was read last stays while the API server does not answer', async () => {
  const { account, state, later } = accountOf('ops/cloud');
  state.data = { provider: base64('http') };
  await account.start();
  state.error = new Error('no connection');
  await later();
  expect(account.current()).toEqual({ provider: 'http' });
});

test('without a name nothing is read, and a closed one is read no more', async () => {
  const none = accountOf('');
  await none.account.start();
  expect([none.account.current(), none.isWaiting()]).toEqual([undefined, false]);
  const closed = accountOf('ops/cloud');
  await closed.account.start();
  closed.account.close();
  expect(closed.isWaiting()).toBe(false);
});
