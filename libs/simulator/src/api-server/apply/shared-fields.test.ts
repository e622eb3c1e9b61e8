import { expect, it } from 'vitest';
import { SharedFields } from './shared-fields.ts';

it('gives one object for equal sets', () => {
  const shared = new SharedFields();
  const first = shared.share({ 'f:data': { 'f:key': {} } });
  expect(shared.share({ 'f:data': { 'f:key': {} } })).toBe(first);
});

it('keeps sets apart whose members differ', () => {
  const shared = new SharedFields();
  shared.share({ 'f:data': { 'f:key': {} } });
  expect(shared.share({ 'f:data': { 'f:other': {} } })).toEqual({ 'f:data': { 'f:other': {} } });
});

it('writes the names of a set in their order', () => {
  const set = new SharedFields().share({ 'f:spec': { 'f:b': {}, 'f:a': {}, '.': {} }, 'f:data': {} });
  expect(JSON.stringify(set)).toBe('{"f:data":{},"f:spec":{".":{},"f:a":{},"f:b":{}}}');
});
