import { expect, test } from 'vitest';
import { recipes, selected, turnOf } from './scenarios.ts';

const turns = [...recipes, 'adoption', 'channels', 'wedges', 'interrupted'];
const names = ['cache', ...turns, 'pages'];
const commits = Array.from(
  { length: 90 * turns.length },
  (_, at) => `${(at * 7_919).toString(16).padStart(8, '0')}cafe`,
);

test('a run has two of those that take turns, the same for the same commit, and all that take none', () => {
  for (const commit of commits) {
    const found = selected(names, { all: false, commit });
    expect(found).toEqual(names.filter((name) => found.includes(name)));
    expect(found.filter((name) => turns.includes(name)).toSorted()).toEqual(turnOf(commit).toSorted());
    expect(found).toHaveLength(4);
  }
});

test('each comes round as often as every other one', () => {
  const found = commits.flatMap(turnOf);
  for (const turn of turns) expect(found.filter((name) => name === turn)).toHaveLength(180);
});

test('without a commit there are two all the same', () => {
  expect(turnOf('')).toEqual(['redis-store', 'etcd']);
});

test('all runs everything, and names alone what they say', () => {
  expect(selected(names, { all: true, commit: 'a' })).toEqual(names);
  expect(selected(names, { only: 'recipes,pages', all: false, commit: 'a' })).toEqual([...recipes, 'pages']);
  expect(() => selected(names, { only: 'nope', all: false, commit: 'a' })).toThrow('there is no scenario nope');
});
