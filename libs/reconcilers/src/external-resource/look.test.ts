import { expect, test } from 'vitest';
import { look } from './look.ts';
import { announced } from './record.ts';
import type { ExternalSystem, ExternalView } from './system.ts';

const { signal } = new AbortController();
const view = (id: string, owner?: string): ExternalView => ({ id, owner, state: 'ready' });
const traits = { repeatedCreate: 'returnsFirst', settleMs: 1_000, callTimeoutMs: 1_000 } as const;

/** A keeper that answers in one way, whatever it is asked for. */
function keeper(one: ExternalView | undefined, all: readonly ExternalView[]): ExternalSystem<object, ExternalView> {
  return {
    traits,
    get: () => Promise.resolve(one),
    findByOwner: () => Promise.resolve(all),
    create: () => Promise.reject(new Error('nothing is made')),
    update: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  };
}
const record = { ...announced('me', 1, 0), id: 't1' };

test('what a keeper shows of others is not ours, and what nobody has marked neither', async () => {
  const all = [view('theirs', 'somebody'), view('nobodys'), view('mine', 'me')];
  const sight = await look(keeper(undefined, all), { owner: 'me', record: undefined, leaving: false }, signal);
  expect(sight).toMatchObject({ kind: 'seen', views: [{ id: 'mine' }] });
});

test('another thing than was asked for is no answer', async () => {
  const sight = await look(keeper(view('t2'), []), { owner: 'me', record, leaving: true }, signal);
  expect(sight).toMatchObject({ kind: 'unknown', error: { code: 'MalformedReply', retry: 'backoff' } });
});
