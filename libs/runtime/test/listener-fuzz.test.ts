import { expect, it } from 'vitest';
import { allow, reviewReply } from '../src/webhook/index.ts';
import { fuzz } from './fuzz/attack.ts';
import { answerIn, listen, reviewRequest } from './listener.ts';

/** What a request is answered with: nothing that was not foreseen, such as 500. */
const foreseen = new Set([100, 200, 400, 404, 408, 413, 417, 431, 503]);

it('2,000 hostile requests leave the listener as it was', async () => {
  const review = (request: { readonly uid: string }) => Promise.resolve(reviewReply(request.uid, allow()));
  const webhooks = ['/validate', '/disruption'].map((path) => ({ path, failurePolicy: 'Fail', review }) as const);
  const listener = await listen({ webhooks });
  const { requests, replies } = await fuzz({ port: listener.server.port, seed: 1, requests: 2000 });
  expect(requests).toBe(2000);
  expect([...replies.keys()].filter((status) => !foreseen.has(status))).toEqual([]);
  for (const status of [200, 400, 404, 417, 431]) expect(replies.get(status), `${status}`).toBeGreaterThan(0);
  expect(answerIn(await listener.exchange(reviewRequest('/validate')))).toEqual({ status: 200, allowed: true });
  await listener.close();
}, 300_000);
