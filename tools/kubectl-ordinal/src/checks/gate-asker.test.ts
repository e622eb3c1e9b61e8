import type { Clock, Pod, Transport } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import { expect, test } from 'vitest';
import { cache } from '../../test/resources.ts';
import type { Surroundings } from '../cluster/surroundings.ts';
import { GateAsker, gatesAskedEveryMs } from './gate-asker.ts';

const metadata = { name: 'sessions-0', namespace: 'shop', uid: 'one' };
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
// As much of a cache and of its member as is looked at.
const around = {
  resource: { ...cache(), metadata: { name: 'sessions', namespace: 'shop', uid: 'cache' } },
  members: [{ object: { metadata, status: ready } as unknown as Pod }],
} as unknown as Surroundings;

/** An asker whose time and whose members' answer are set, and what it has asked. */
function stage() {
  const set = { now: 1_000, status: 200 };
  const asked: string[] = [];
  const body = async function* () {
    yield await Promise.resolve(Buffer.from(''));
  };
  const transport: Transport = {
    send: ({ path }) => {
      asked.push(path);
      return Promise.resolve({ status: set.status, headers: {}, body: body() });
    },
    connect: () => Promise.reject(new Error('nothing is opened in this test')),
    close: () => Promise.resolve(),
  };
  const clock: Clock = { now: () => set.now, after: () => Promise.reject(new Error('it has no timer')) as never };
  const client = createClient({ transport, fieldManager: 'test' });
  const asker = new GateAsker({ client, clock, signal: new AbortController().signal });
  const answered = async (revision: number): Promise<void> => {
    while (asker.revision < revision) await new Promise((resolve) => setImmediate(resolve));
  };
  const says = () => asker.last(around)?.answers.map(({ said }) => said?.answer.ok);
  return { set, asked, asker, answered, says };
}

test('an answer is kept until it has grown old, and the old one is shown until there is another', async () => {
  const { set, asked, asker, answered, says } = stage();
  expect([says(), says()]).toEqual([undefined, undefined]);
  await answered(1);
  expect(asked).toEqual(['/api/v1/namespaces/shop/pods/http:sessions-0:6379/proxy/ready-for-shutdown']);
  expect(asker.last(around)).toMatchObject({ askedAt: 1_000 });
  set.now += gatesAskedEveryMs - 1;
  set.status = 503;
  expect([says(), asked.length]).toEqual([[true], 1]);
  set.now += 1;
  expect([says(), asked.length]).toEqual([[true], 2]);
  await answered(2);
  expect([says(), asked.length]).toEqual([[false], 2]);
  expect(asker.last(around)).toMatchObject({ askedAt: 1_000 + gatesAskedEveryMs });
});
