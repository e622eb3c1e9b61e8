import type { Transport, TransportRequest } from '@ordinal/client';
import { expect, test } from 'vitest';
import { Activity } from './activity.ts';
import { DatedTransport, ownEpoch } from './dated-transport.ts';
import { Timeline } from './timeline.ts';

const wall = Date.UTC(2026, 4, 1);

/** A server that answers with these pieces, one after the other. */
const serverOf = (pieces: readonly Uint8Array[], status = 200): Transport => ({
  send: () =>
    Promise.resolve({
      ...{ status, headers: {} },
      body: (async function* () {
        for (const piece of pieces) yield await Promise.resolve(piece);
      })(),
    }),
  connect: () => Promise.reject(new Error('no test asks for a channel')),
  close: () => Promise.resolve(),
});

async function read(pieces: readonly Uint8Array[], request: Partial<TransportRequest> = {}, activity = new Activity()) {
  const timeline = new Timeline();
  timeline.note(wall, ownEpoch);
  const transport = new DatedTransport({ inner: serverOf(pieces), activity, timeline });
  const { body } = await transport.send({ method: 'GET', path: '/api/v1/pods', ...request });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const text =
  '{"at":"2026-05-01T00:00:07Z","own":"2100-03-01T00:00:00Z","micro":"2026-05-01T00:00:07.250000Z","of":"Zürich"}';
const reported =
  '{"at":"2100-01-01T00:00:07Z","own":"2100-03-01T00:00:00Z","micro":"2100-01-01T00:00:07Z","of":"Zürich"}';

test('what the server dates is shown in the world’s time, and what the world has dated stays', async () => {
  expect(await read([Buffer.from(text)])).toBe(reported);
});

test('wherever the reply is cut, within a moment or a character too', async () => {
  const bytes = Buffer.from(text);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(reported);
  }
});

test('an event of a watch comes whole when it comes', async () => {
  const event = Buffer.from('{"type":"ADDED","object":{"kind":"Pod"}}\n');
  const activity = new Activity();
  const transport = new DatedTransport({ inner: serverOf([event, event]), activity, timeline: new Timeline() });
  const { body } = await transport.send({ method: 'GET', path: '/api/v1/pods?watch=true' });
  for await (const chunk of body) expect(Buffer.from(chunk).equals(event)).toBe(true);
});

test('a watch is not waited for, and only a write that was carried out is a change', async () => {
  const activity = new Activity();
  const before = activity.lastChange;
  await read([Buffer.from('{}\n')], { path: '/api/v1/pods?watch=true' }, activity);
  expect(activity.lastChange).toBe(before);
  await read([Buffer.from('{}')], { method: 'PATCH' }, activity);
  expect(activity.lastChange).toBeGreaterThan(before);
});
