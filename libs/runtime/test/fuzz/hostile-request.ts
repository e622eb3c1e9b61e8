import { reviewOf } from '../listener.ts';

/** A source of randomness: a number in [0, 1). */
type Random = () => number;

/** The same numbers for the same seed. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const among = <T>(random: Random, values: readonly T[]): T => {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError('nothing to choose from');
  return value;
};

const methods = [
  'POST',
  'POST',
  'POST',
  'GET',
  'PUT',
  'HEAD',
  'TRACE',
  'CONNECT',
  'OPTIONS',
  'post',
  'P\0ST',
  'PRI',
  '',
];
const targets = [
  '/validate?timeout=5s',
  '/validate?timeout=5s',
  '/disruption?timeout=5s',
  '//',
  '/',
  '*',
  '',
  'a:80',
  'https://a/validate',
  '//a/validate',
  '/validate?timeout=1.2.3s',
  '/validate?timeout=-1s',
  '/validate?timeout=999999999999s',
  '/validate#x',
  '/%',
  '/%zz%00',
  '/validate/../validate',
  `/${'a'.repeat(9000)}`,
  '/\u00ff\u0080',
  'http://[',
  '/__proto__',
];
const headers = [
  'content-type: application/json',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding : chunked',
  'content-length: -1',
  'content-length: 1e3',
  'content-length: 18446744073709551616',
  'content-length: 3, 3',
  'content-encoding: gzip',
  'expect: 100-continue',
  'expect: nothing',
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAA',
  'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAAA',
  'connection: close',
  'connection: keep-alive, close',
  'host: b',
  'a: b\r\n c',
  'a\0b: c',
  'a: \0',
  ': b',
  `a: ${'b'.repeat(17_000)}`,
  '__proto__: a',
  'trailer: a',
];
const values: readonly string[] = [
  'null',
  '1',
  '-0',
  '1e999',
  `1${'0'.repeat(400)}`,
  '""',
  '"\\ud800"',
  '[]',
  '{}',
  '[[]]',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '{"metadata":{}}',
  '{"metadata":null}',
  '{"metadata":{"name":"a","labels":[],"deletionTimestamp":1}}',
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `{"metadata":{"name":"a"},"spec":${'{"a":'.repeat(400)}1${'}'.repeat(400)}}`,
];
const fields = [
  'uid',
  'operation',
  'kind',
  'resource',
  'subResource',
  'name',
  'namespace',
  'userInfo',
  'object',
  'oldObject',
  'dryRun',
  'options',
];

/** What goes wrong when a request is sent, beside what stands in it. */
export interface HostileRequest {
  readonly bytes: Buffer;
  /** In how many pieces it is sent. */
  readonly pieces: number;
  /** What happens to the connection after it. */
  readonly then: 'wait' | 'send-on' | 'half-close' | 'reset' | 'leave';
}

/** A request that no client should send, or one that has something wrong with it; now and then a good one. */
export function hostileRequest(random: Random): HostileRequest {
  const body = bodyOf(random);
  const chunked = random() < 0.2;
  const extra = Array.from({ length: random() < 0.5 ? 0 : Math.ceil(random() * 3) }, () => among(random, headers));
  const claimed = random() < 0.9 ? body.length : Math.floor(random() * 2 * body.length);
  const line = `${random() < 0.6 ? 'POST' : among(random, methods)} ${among(random, targets)} ${among(random, ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1\t', 'ICY'])}`;
  const head = [line, random() < 0.95 ? 'host: a' : 'x: a', ...extra];
  head.push(chunked ? 'transfer-encoding: chunked' : `content-length: ${claimed}`);
  const whole = Buffer.concat([
    Buffer.from(`${head.join(random() < 0.97 ? '\r\n' : '\n')}\r\n\r\n`, 'latin1'),
    chunked ? chunksOf(random, body) : body,
  ]);
  return {
    bytes: random() < 0.25 ? mutated(random, whole) : whole,
    pieces: random() < 0.2 ? Math.ceil(random() * 5) : 1,
    then: among(random, ['wait', 'wait', 'wait', 'send-on', 'half-close', 'reset', 'leave']),
  };
}

function bodyOf(random: Random): Buffer {
  const kind = random();
  if (kind < 0.1) return Buffer.from(among(random, values));
  const base = reviewOf(random() < 0.5 ? evictionOf(random) : {}) as {
    readonly request: Readonly<Record<string, unknown>>;
  };
  let text = JSON.stringify(base);
  for (let changes = Math.floor(random() * 3); changes > 0; changes -= 1) {
    const field = among(random, fields);
    const written = `"${field}":${among(random, values)}`;
    // In front: the name stands twice. Or in its place.
    if (random() < 0.3) text = text.replace('"request":{', `"request":{${written},`);
    else text = text.replace(`"${field}":${JSON.stringify(base.request[field])}`, written.replaceAll('$', '$$$$'));
  }
  const bytes = Buffer.from(text);
  return kind < 0.3 ? mutated(random, bytes) : bytes;
}

function evictionOf(random: Random): object {
  return {
    resource: { group: '', version: 'v1', resource: 'pods' },
    kind: { group: '', version: 'v1', kind: 'Pod' },
    subResource: 'eviction',
    operation: among(random, ['CREATE', 'DELETE']),
    name: 'sessions-1',
    namespace: 'shop',
  };
}

function chunksOf(random: Random, body: Buffer): Buffer {
  const size = among(random, [1, 7, 1000, 100_000]);
  const parts: Buffer[] = [];
  for (let at = 0; at < Math.min(body.length, 200 * size); at += size) {
    const part = body.subarray(at, at + size);
    const length =
      random() < 0.995 ? part.length.toString(16) : among(random, ['-1', 'g', 'fffffffffffffffff', '0x1', '']);
    parts.push(Buffer.from(`${length}${random() < 0.05 ? ';a=b' : ''}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from(random() < 0.9 ? '0\r\n\r\n' : '0\r\na: b\r\n\r\n')]);
}

function mutated(random: Random, bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (let changes = Math.ceil(random() * 4); changes > 0 && changed.length > 0; changes -= 1)
    changed[Math.floor(random() * changed.length)] = among(random, [0, 10, 13, 32, 34, 92, 127, 0xc3, 0xff]);
  return random() < 0.2 ? changed.subarray(0, Math.floor(random() * changed.length)) : changed;
}
