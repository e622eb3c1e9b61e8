import { expect, test } from 'vitest';
import { inGroups, recipes, selected, turnOf } from './scenarios.ts';

const others = ['adoption', 'channels', 'wedges', 'interrupted'];
const turns = [...recipes, ...others];
const names = ['cache', ...turns, 'pages'];
const commits = Array.from(
  { length: 100 * recipes.length * others.length },
  (_, at) => `${(at * 7_919).toString(16).padStart(8, '0')}cafe`,
);

test('a run has one recipe and one other of those that take turns, the same for the same commit, and all that take none', () => {
  for (const commit of commits) {
    const found = selected(names, { all: false, commit });
    expect(found).toEqual(names.filter((name) => found.includes(name)));
    expect(found.filter((name) => turns.includes(name)).toSorted()).toEqual(turnOf(commit).toSorted());
    expect(found.filter((name) => recipes.some((recipe) => recipe === name))).toHaveLength(1);
    expect(found).toHaveLength(4);
  }
});

test('each recipe comes round as often as every other one, beside each of the others', () => {
  const count = (wanted: readonly string[]): number =>
    commits.filter((commit) => turnOf(commit).join() === wanted.join()).length;
  for (const recipe of recipes) for (const other of others) expect(count([recipe, other])).toBe(100);
});

test('without a commit there are two all the same', () => {
  expect(turnOf('')).toEqual(['redis-store', 'adoption']);
});

test('all runs everything, and names alone what they say', () => {
  expect(selected(names, { all: true, commit: 'a' })).toEqual(names);
  expect(selected(names, { only: 'recipes,pages', all: false, commit: 'a' })).toEqual([...recipes, 'pages']);
  expect(() => selected(names, { only: 'nope', all: false, commit: 'a' })).toThrow('there is no scenario nope');
});

test('of those that run at the same time the later ones come forward, and all others stay alone in their order', () => {
  expect(inGroups(['cache', 'store', 'etcd', 'external', 'pages'])).toEqual([
    ['cache'],
    ['store', 'external'],
    ['etcd'],
    ['pages'],
  ]);
  expect(inGroups(['pages', 'external'])).toEqual([['pages'], ['external']]);
  expect(inGroups([])).toEqual([]);
});
