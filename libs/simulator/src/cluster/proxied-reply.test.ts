import { expect, test } from 'vitest';
import { throughProxy } from './proxied-reply.ts';

const prefix = '/api/v1/namespaces/a/pods/b/proxy';
const html = { 'content-type': 'text/html; charset=utf-8' };

test('links of a page stay within the proxy, and those to other hosts do not', () => {
  const body = '<a href="/x">1</a><img src=\'/y\'><a href="//other/z">2</a><a href="near">3</a>';
  expect(throughProxy({ status: 200, body, headers: html }, prefix).body).toBe(
    `<a href="${prefix}/x">1</a><img src='${prefix}/y'><a href="//other/z">2</a><a href="near">3</a>`,
  );
});

test('what is no page stays as it is, and a client is sent within the proxy', () => {
  const reply = { status: 302, body: 'href="/x"', headers: { 'content-type': 'text/plain', location: '/x' } };
  expect(throughProxy(reply, prefix)).toEqual({
    ...reply,
    headers: { ...reply.headers, location: `${prefix}/x` },
  });
});
