import { expect, test } from 'vitest';
import { plansOf, shareSize, singleTasksOf, taskKey, tasksOf } from './task.ts';
import type { Task } from './task.ts';

function first(count: number, singles: ReadonlyMap<number, number>): readonly Task[] {
  const tasks = tasksOf(singles);
  return Array.from({ length: count }, () => tasks.next().value).filter((task) => task !== undefined);
}

test('every single fault is in exactly one share', () => {
  const singles = { count: shareSize + 2, crashes: [] };
  const shares = first(4, new Map([[3, singles.count]])).filter(({ round }) => round === 0);
  const faults = shares.flatMap((task) => plansOf(task, singles, 1)).map((plan) => plan.faults);
  expect(faults.map(([fault]) => fault).sort((a = 0, b = 0) => a - b)).toEqual([...Array(shareSize + 2).keys()]);
  expect(faults.every(({ length }) => length === 1)).toBe(true);
});

test('crashes come first', () => {
  const singles = { count: shareSize * 2, crashes: [...Array(shareSize + 3).keys()].map((number) => number + 5) };
  const order = [0, 1]
    .flatMap((part) => plansOf({ searchScenario: 3, round: 0, part }, singles, 1))
    .map((plan) => plan.faults[0] ?? -1);
  expect(order.slice(0, shareSize + 3).sort((a, b) => a - b)).toEqual(singles.crashes);
  expect(new Set(order).size).toBe(singles.count);
});

test('scenarios have their shares in turn, of pairs as many as of single faults', () => {
  const keys = first(
    8,
    new Map([
      [0, shareSize * 2],
      [1, shareSize],
    ]),
  ).map(taskKey);
  expect(keys).toEqual(['0/0/0', '1/0/0', '0/1/0', '1/1/0', '0/0/1', '0/2/0', '1/2/0', '0/3/0']);
});

test('a pair has two different faults, and a round is the same for the same seed', () => {
  const task = { searchScenario: 0, round: 4, part: 0 };
  const plans = plansOf(task, { count: 2, crashes: [0] }, 9);
  expect(plans.every(({ faults: [left, right] }) => left !== right)).toBe(true);
  expect(plansOf(task, { count: 2, crashes: [0] }, 9)).toEqual(plans);
  expect(plansOf({ ...task, round: 5 }, { count: 2, crashes: [0] }, 9)).not.toEqual(plans);
});

test('a scenario without faults is not searched for pairs', () => {
  expect([...tasksOf(new Map([[0, 0]]))]).toEqual([]);
});

test('single faults alone are the same shares as in a search that has pairs too, and then it ends', () => {
  const singles = new Map([
    [0, shareSize * 2],
    [4, shareSize],
  ]);
  const alone = [...singleTasksOf(singles)].map(taskKey);
  expect(alone).toEqual(['0/0/0', '4/0/0', '0/0/1']);
  const among = first(12, singles).filter(({ round }) => round === 0);
  expect(among.map(taskKey)).toEqual(alone);
});
