import { expect, test } from 'vitest';
import type { Asked } from './guard.ts';
import { headersOfAll, refusalOf } from './guard.ts';

const door = { port: 4711, token: 'right-token' };
const headers = { host: '127.0.0.1:4711', authorization: 'Bearer right-token' };
const asked = (more: Partial<Asked> = {}): Asked => ({ method: 'GET', path: '/api/live', headers, ...more });
const status = (more: Partial<Asked>): number | undefined => refusalOf(asked(more), door)?.status;
const withHeaders = (more: Asked['headers']): number | undefined => status({ headers: { ...headers, ...more } });

test('the page of the console is answered', () => {
  expect(refusalOf(asked(), door)).toBeUndefined();
  expect(withHeaders({ host: 'localhost:4711', origin: 'http://localhost:4711' })).toBeUndefined();
  expect(withHeaders({ 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:4711' })).toBeUndefined();
  const json = { ...headers, 'content-type': 'application/json' };
  expect(status({ method: 'POST', path: '/api/act', headers: json })).toBeUndefined();
});

test('the page itself needs no token, and gives nothing away', () => {
  const { authorization: _, ...stranger } = headers;
  expect(status({ path: '/', headers: stranger })).toBeUndefined();
  expect(status({ path: '/', method: 'POST', headers: stranger })).toBe(405);
});

test.each(['', 'Bearer', 'Bearer wrong-token', 'Bearer right-toke', 'Bearer right-token-', 'Basic right-token'])(
  'the token %j is refused',
  (authorization) => expect(withHeaders({ authorization })).toBe(401),
);

test.each(['evil.example', 'evil.example:4711', '127.0.0.1', '127.0.0.1:4712', '127.0.0.1.evil.example:4711', ''])(
  'the host %j is refused, as a name that was led here would be',
  (host) => {
    expect(withHeaders({ host })).toBe(403);
    expect(status({ path: '/', headers: { host } })).toBe(403);
  },
);

test.each(['https://evil.example', 'http://127.0.0.1:4712', 'http://localhost:4711', 'null', ''])(
  'the origin %j is refused',
  (origin) => expect(withHeaders({ origin })).toBe(403),
);

test.each(['cross-site', 'same-site'])('a request of a page that is %s is refused', (site) =>
  expect(withHeaders({ 'sec-fetch-site': site })).toBe(403),
);

test.each(['OPTIONS', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('%s is refused', (method) =>
  expect(status({ method })).toBe(405),
);

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
  'a question in %s, as a form of another page can send it, is refused',
  (type) => expect(status({ method: 'POST', headers: { ...headers, 'content-type': type } })).toBe(415),
);

test('no code, no connection and no frame but the console’s own', () => {
  const policy = headersOfAll['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headersOfAll['access-control-allow-origin']).toBeUndefined();
});
