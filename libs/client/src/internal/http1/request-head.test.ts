import { describe, expect, it } from 'vitest';
import { requestHead } from './request-head.ts';

const frame = { host: 'kube:6443', basePath: '/one', credentials: { authorization: 'Bearer t' }, compressed: false };

describe('the head of a request', () => {
  it('names the length of a body in bytes', () => {
    const head = requestHead({ method: 'POST', path: '/x', headers: { accept: 'a/b' }, body: 'ä' }, frame);
    expect(head).toBe(
      'POST /one/x HTTP/1.1\r\nhost: kube:6443\r\nauthorization: Bearer t\r\naccept: a/b\r\ncontent-length: 2\r\n\r\n',
    );
  });

  it('gives a request’s own header the preference', () => {
    const head = requestHead({ method: 'GET', path: '/x', headers: { authorization: 'Bearer own' } }, frame);
    expect(head.match(/authorization: .*/g)).toEqual(['authorization: Bearer own']);
  });

  it('lets no value begin another header or request', () => {
    const get = { method: 'GET', path: '/x' } as const;
    expect(() => requestHead({ ...get, path: '/x HTTP/1.1\r\n\r\nDELETE /y' }, frame)).toThrow(TypeError);
    expect(() => requestHead({ ...get, headers: { 'user-agent': 'a\r\nimpersonate-user: b' } }, frame)).toThrow(
      TypeError,
    );
    expect(() => requestHead({ ...get, repeatedHeaders: { 'impersonate-group': ['a\nb'] } }, frame)).toThrow(TypeError);
    for (const name of ['a\r\nimpersonate-user', 'a\n', 'a\0', 'a b', 'a:', '', 'ä']) {
      expect(() => requestHead({ ...get, headers: { [name]: 'b' } }, frame)).toThrow(TypeError);
      expect(() => requestHead({ ...get, repeatedHeaders: { [name]: ['b'] } }, frame)).toThrow(TypeError);
    }
    for (const method of ['GET /y HTTP/1.1\r\n\r\nDELETE', '', 'G T'])
      expect(() => requestHead({ ...get, method: method as 'GET' }, frame)).toThrow(TypeError);
    for (const path of ['/x\ry', '/x\0', '/x y', '/ä'])
      expect(() => requestHead({ ...get, path }, frame)).toThrow(TypeError);
  });
});
