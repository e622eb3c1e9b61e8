import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReplyHead } from './reply-parser.ts';
import { ReplyParser } from './reply-parser.ts';

interface Read {
  readonly head: ReplyHead | undefined;
  readonly body: string;
  readonly end: 'open' | 'reusable' | 'used up';
}

function read(chunks: readonly string[], { closed = false } = {}): Read {
  let head: ReplyHead | undefined;
  let body = '';
  let end: Read['end'] = 'open';
  const parser = new ReplyParser({
    head: (one) => (head = one),
    body: (chunk) => (body += Buffer.from(chunk).toString('latin1')),
    end: (reusable) => (end = reusable ? 'reusable' : 'used up'),
  });
  for (const chunk of chunks) parser.push(Buffer.from(chunk, 'latin1'));
  if (closed) parser.close();
  return { head, body, end };
}

const reply = (...lines: readonly string[]): string => lines.join('\r\n');

describe('a reply in HTTP/1.1', () => {
  const counted = reply('HTTP/1.1 201 Created', 'Content-Length: 5', 'Audit-Id: x', 'audit-id:  y ', '', 'hello');
  const chunked = reply(
    'HTTP/1.1 200 OK',
    'Transfer-Encoding: chunked',
    '',
    '3;name="a"',
    'abc',
    'A',
    '0123456789',
    '0',
    'Trailer: t',
    '',
    '',
  );

  it('has a head, a body of the length that it says, and leaves its connection free', () => {
    expect(read([counted])).toEqual({
      head: { status: 201, headers: { 'content-length': '5', 'audit-id': 'x, y' } },
      body: 'hello',
      end: 'reusable',
    });
    expect(read([chunked])).toMatchObject({ body: 'abc0123456789', end: 'reusable' });
  });

  it('is the same wherever the bytes are cut', () => {
    const continued = `${reply('HTTP/1.1 100 Continue', '', '')}${counted}`;
    fc.assert(
      fc.property(fc.constantFrom(counted, chunked, continued), fc.array(fc.nat(200)), (text, cuts) => {
        const places = [0, ...[...new Set(cuts)].filter((at) => at < text.length).sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((at, index) => text.slice(places[index], at));
        expect(read(chunks)).toEqual(read([text]));
      }),
    );
  });

  it.each([
    ['the server says so', reply('HTTP/1.1 200 OK', 'Connection: close', 'Content-Length: 2', '', 'ok')],
    ['the server speaks HTTP/1.0', reply('HTTP/1.0 200 OK', 'Content-Length: 2', '', 'ok')],
    ['more comes than was asked for', reply('HTTP/1.1 200 OK', 'Content-Length: 2', '', 'okHTTP/1.1 200 OK')],
  ])('uses its connection up where %s', (_why, text) => {
    expect(read([text])).toMatchObject({ body: 'ok', end: 'used up' });
  });

  it('may last until the connection is closed', () => {
    expect(read([reply('HTTP/1.1 200 OK', '', 'o'), 'k'])).toMatchObject({ body: 'ok', end: 'open' });
    expect(read([reply('HTTP/1.1 200 OK', '', 'o'), 'k'], { closed: true })).toMatchObject({
      body: 'ok',
      end: 'used up',
    });
  });

  it('has no body where its status says so', () => {
    for (const header of ['Date: now', 'Content-Length: 5', 'Transfer-Encoding: chunked'])
      expect(read([reply('HTTP/1.1 204 No Content', header, '', '')])).toMatchObject({ body: '', end: 'reusable' });
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['no status', reply('HTTP/1.1 OK', '', '')],
    ['an upgrade', reply('HTTP/1.1 101 Switching Protocols', '', '')],
    ['a folded header', reply('HTTP/1.1 200 OK', 'A: b', ' c', '', '')],
    ['a header without a name', reply('HTTP/1.1 200 OK', ': b', '', '')],
    ['two lengths', reply('HTTP/1.1 200 OK', 'Content-Length: 2', 'Content-Length: 3', '', '')],
    ['a length and chunks', reply('HTTP/1.1 200 OK', 'Content-Length: 2', 'Transfer-Encoding: chunked', '', '')],
    ['an encoding that is not known', reply('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, chunked', '', '')],
    ['a negative chunk', reply('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '-1', '')],
    ['a chunk without an end', reply('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '1', 'ab', '')],
    ['a head without an end', `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(70_000)}`],
  ])('is not %s', (_what, text) => {
    expect(() => read([text])).toThrow(expect.objectContaining({ code: 'MalformedReply' }));
  });

  it.each([
    ['head', 'HTTP/1.1 200 OK\r\n'],
    ['body', reply('HTTP/1.1 200 OK', 'Content-Length: 5', '', 'hell')],
    ['chunks', reply('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '1', 'a', '')],
  ])('is not complete when the connection ends in its %s', (_where, text) => {
    expect(() => read([text], { closed: true })).toThrow(expect.objectContaining({ code: 'ConnectionFailed' }));
  });
});
