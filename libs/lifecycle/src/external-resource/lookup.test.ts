import { expect, test } from 'vitest';
import { lookUp } from './lookup.ts';
import { announced, refused } from './record.ts';
import type { ExternalSystem, ExternalView, Traits } from './system.ts';

const context = { signal: new AbortController().signal, outside: <T>(call: () => Promise<T>) => call() };
const view = (id: string, owner?: string): ExternalView => ({ id, owner, state: 'ready' });
const traits = { repeatedCreate: 'returnsFirst', settleMs: 1_000, callTimeoutMs: 1_000 } as const;

/** A provider that answers in one way, to every question. */
function provider(one: ExternalView | undefined, all: readonly ExternalView[]): ExternalSystem<object, ExternalView> {
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

test('what a provider shows of other owners is not ours, and what has no mark neither', async () => {
  const all = [view('theirs', 'another'), view('unmarked'), view('mine', 'me')];
  const lookup = await lookUp(provider(undefined, all), { owner: 'me', record: undefined, leaving: false }, context);
  expect(lookup).toMatchObject({ kind: 'answered', views: [{ id: 'mine' }] });
});

test('what is leaving is looked for where its creation was refused, and not where none was announced', async () => {
  const at = provider(undefined, [view('mine', 'me')]);
  const refusedOnce = refused(announced('me', 1, 0), undefined);
  expect(await lookUp(at, { owner: 'me', record: refusedOnce, leaving: true }, context)).toMatchObject({
    views: [{ id: 'mine' }],
  });
  expect(await lookUp(at, { owner: 'me', record: undefined, leaving: true }, context)).toEqual({ kind: 'skipped' });
});

test('another thing than was asked for is no answer', async () => {
  const lookup = await lookUp(provider(view('t2'), []), { owner: 'me', record, leaving: true }, context);
  expect(lookup).toMatchObject({ kind: 'failed', error: { code: 'MalformedReply', retry: 'backoff' } });
});

test.each<[string, Traits, number, string[]]>([
  ['is shown, too, where a provider makes another', { ...traits, repeatedCreate: 'makesAnother' }, 1, ['t1', 't2']],
  ['is shown, too, of what was made again', traits, 2, ['t1', 't2']],
  ['can’t be, and is not asked for', traits, 1, ['t1']],
])('a second thing of the owner’s %s', async (_what, its, incarnation, shown) => {
  const system = { ...provider(view('t1', 'me'), [view('t1', 'me'), view('t2', 'me')]), traits: its };
  const lookup = await lookUp(system, { owner: 'me', record: { ...record, incarnation }, leaving: false }, context);
  expect(lookup).toMatchObject({ kind: 'answered', byId: true, views: shown.map((id) => ({ id })) });
});
