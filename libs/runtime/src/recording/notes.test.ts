import { expect, test } from 'vitest';
import type { NotedRequest } from './notes.ts';
import { Notes } from './notes.ts';

const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const sets = { ...pods, group: 'apps', kind: 'StatefulSet', plural: 'statefulsets' } as const;
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } } as never;
const key = { namespace: 'shop', name: 'a' };

test('notes are read by what they are about, each in the order in which they were taken', () => {
  const notes = new Notes();
  const request = { method: 'GET', path: '/' } as NotedRequest;
  const decision = { actions: [] };
  notes.look('get', pods, key, pod);
  notes.add('time', 1);
  notes.look('list', pods, { namespace: 'shop' }, [pod]);
  notes.add('random', 0.5);
  notes.look('index', sets, ['bySecret', 'one'], []);
  notes.look('owned', sets, 'uid', []);
  notes.look('count', sets, ['bySecret', 'one'], 7);
  notes.add('request', request);
  notes.add('answer', { of: 'monitor' });
  notes.add('decision', decision);
  notes.add('time', 2);
  expect(notes.sorted()).toEqual({
    asked: [
      ['get', 'pods', 'shop', 'a'],
      ['list', 'pods', { namespace: 'shop' }],
      ['index', 'statefulsets.apps', 'bySecret', 'one'],
      ['owned', 'statefulsets.apps', 'uid'],
    ],
    seen: [
      { kind: 'pods', objects: [pod] },
      { kind: 'pods', objects: [pod] },
    ],
    counted: [['statefulsets.apps', 'bySecret', 'one', 7]],
    times: [1, 2],
    random: [0.5],
    requests: [request],
    answers: [{ of: 'monitor' }],
    decisions: [decision],
  });
});

test('there is nothing to record where nothing was there and nothing was decided', () => {
  const notes = new Notes();
  notes.look('get', pods, key, undefined);
  notes.look('list', pods, {}, []);
  notes.look('count', pods, ['bySecret', 'one'], 0);
  notes.add('time', 1);
  expect(notes.hasContent).toBe(false);
  notes.add('decision', {});
  expect(notes.hasContent).toBe(true);
});

test('what was there is content, and a list weighs what its references do', () => {
  const [one, list] = [new Notes(), new Notes()];
  one.look('get', pods, key, pod);
  list.look('list', pods, {}, [pod, pod]);
  expect([one.hasContent, list.hasContent]).toEqual([true, true]);
  expect(list.weight).toBe(32);
});
