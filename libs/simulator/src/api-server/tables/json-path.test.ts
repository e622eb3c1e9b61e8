import { expect, it } from 'vitest';
import { findByPath } from './json-path.ts';

const object = {
  status: {
    conditions: [
      { type: 'Ready', status: 'True', detail: { 'a.b': 1 } },
      { type: 'Synced', status: 'False' },
    ],
  },
};

it('goes on behind a filter', () => {
  expect(findByPath(object, '.status.conditions[?(@.type=="Synced")].status')).toEqual(['False']);
});

it('finds quoted names behind an index', () => {
  expect(findByPath(object, ".status.conditions[0].detail['a\\.b']")).toEqual([1]);
});

it('finds nothing where a filter matches nothing', () => {
  expect(findByPath(object, '.status.conditions[?(@.type=="Lost")].status')).toEqual([]);
});
