import { describe, expect, it } from 'vitest';
import { fieldErrorBody, invalidStatus } from './field-error.ts';

describe('fieldErrorBody', () => {
  it('prints values as Go does', () => {
    const body = (value: never): string => fieldErrorBody({ type: 'FieldValueInvalid', field: 'a', value, detail: '' });
    expect(body('a"\n\u0001é' as never)).toBe(String.raw`Invalid value: "a\"\n\x01é"`);
    expect(body(1e21 as never)).toBe('Invalid value: 1e+21');
    expect(body(1234567.5 as never)).toBe('Invalid value: 1.2345675e+06');
    expect(body(0.00001 as never)).toBe('Invalid value: 1e-05');
    expect(body({ b: '<', a: [null] } as never)).toBe(String.raw`Invalid value: {"a":[null],"b":"\u003c"}`);
  });
});

describe('invalidStatus', () => {
  const error = { type: 'FieldValueRequired', field: 'spec.a', detail: '' } as const;

  it('puts one error in its message, and lists each of several once', () => {
    const subject = { group: 'g.io', kind: 'K', name: 'n' };
    expect(invalidStatus(subject, [error]).message).toBe('K.g.io "n" is invalid: spec.a: Required value');
    const status = invalidStatus(subject, [error, error, { ...error, field: 'spec.b' }]);
    expect(status.message).toBe('K.g.io "n" is invalid: [spec.a: Required value, spec.b: Required value]');
    expect(status.details.causes).toHaveLength(3);
  });
});
