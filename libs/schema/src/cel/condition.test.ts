import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { compileCondition, UnsupportedRule } from './index.ts';

const variables = ['object', 'oldObject', 'request'];
const ask = (expression: string, values: JsonObject): unknown => compileCondition(expression, variables)(values);

describe('a condition without a schema', () => {
  it.each([
    ['oldObject == null || object.spec != oldObject.spec', { object: { spec: { replicas: 1 } } }, true],
    [
      'object.spec != oldObject.spec',
      { object: { spec: { a: [1, 'x'] } }, oldObject: { spec: { a: [1, 'x'] } } },
      false,
    ],
    ['object.spec != oldObject.spec', { object: { spec: { a: 1 } }, oldObject: { spec: { a: 1.5 } } }, true],
    ['!has(object.metadata.deletionTimestamp)', { object: { metadata: {} } }, true],
    ['object.spec.replicas > 2 && object.spec.ratio < 0.5', { object: { spec: { replicas: 3, ratio: 0.25 } } }, true],
    [
      "request.userInfo.groups.exists(group, group == 'system:masters')",
      { request: { userInfo: { groups: ['a'] } } },
      false,
    ],
  ])('%s', (expression, values, holds) => {
    expect(ask(expression, values)).toEqual({ holds });
  });

  it('says why it has no answer', () => {
    expect(ask('object.spec.paused', { object: { spec: {} } })).toEqual({ error: 'no such key: paused' });
  });

  it('is refused where it names what is not there, and where it is no condition', () => {
    expect(() => compileCondition('authorizer.group("")', variables)).toThrow(UnsupportedRule);
    expect(() => compileCondition('"yes"', variables)).toThrow('must evaluate to bool');
    expect(() => compileCondition('object ==', variables)).toThrow(UnsupportedRule);
  });
});
