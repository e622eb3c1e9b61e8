import { createClient, TransportError } from '@ordinal/client';
import type { Transport, TransportReply } from '@ordinal/client';
import { expect, onTestFinished, test } from 'vitest';
import { LiveContents } from './live.ts';

const reply = (text: string): TransportReply => ({
  ...{ status: 200, headers: { 'content-type': 'application/json' } },
  body: (async function* () {
    yield await Promise.resolve(Buffer.from(text));
  })(),
});

test('while the API server does not answer, what is shown says that it is not current', async () => {
  let isUp = true;
  const list = JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
  const transport: Transport = {
    send: ({ path }) => {
      if (!isUp) return Promise.reject(new TransportError('ConnectionFailed', 'no connection'));
      // Each watch ends at once.
      return Promise.resolve(reply(path.includes('watch=') ? '' : list));
    },
    connect: () => Promise.reject(new Error('nothing is opened in this test')),
    close: () => Promise.resolve(),
  };
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const client = createClient({ transport, fieldManager: 'test', retry: { attempts: 1 } });
  const live = new LiveContents({ client, namespace: 'shop' }, ended.signal);
  await live.start();
  expect(live.now().unread).toEqual([]);
  const before = live.revision;
  isUp = false;
  await expect
    .poll(() => live.now().unread, { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/^pods: not current: .*no connection/));
  expect(live.revision).toBeGreaterThan(before);
  isUp = true;
  await expect.poll(() => live.now().unread, { timeout: 20_000 }).toEqual([]);
});
