import { timingSafeEqual } from 'node:crypto';

/** What of a request decides whether it is answered. */
export interface Asked {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What the guard knows of the server. */
export interface Door {
  readonly port: number;
  /** The secret of the URL that was printed. */
  readonly token: string;
}

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 401 | 403 | 405 | 415;
  readonly error: string;
}

/** The page itself holds nothing of the cluster: it is given to anyone who asks from this machine. */
export const pagePaths: readonly string[] = ['/', '/console.js', '/console.css', '/icon.svg'];

const one = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

function isToken(given: string, token: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const refuse = (status: Refusal['status'], error: string): Refusal => ({ status, error });

/** Names of the loopback address by which a browser may have come. One that is led here by another name (DNS rebinding) sends that name. */
const hostsAt = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

function wrongPlace({ headers }: Asked, { port }: Door): Refusal | undefined {
  const host = one(headers['host']) ?? '';
  if (!hostsAt(port).includes(host)) return refuse(403, `the console answers at ${hostsAt(port)[0]} only`);
  const origin = one(headers['origin']);
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, 'the console answers its own page only');
  const site = one(headers['sec-fetch-site']);
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return refuse(403, 'the console is not opened from another page: type or paste its address');
  return undefined;
}

/**
 * Why a request is refused; undefined: it is answered. Pure.
 *
 * The token comes in a header that the page sets, never in a cookie: cookies of the loopback address go to every port of it, whichever program listens there, and a browser adds
 * them to requests of other pages.
 */
export function refusalOf(asked: Asked, door: Door): Refusal | undefined {
  const { method, path, headers } = asked;
  const place = wrongPlace(asked, door);
  if (place) return place;
  if (pagePaths.includes(path)) return method === 'GET' ? undefined : refuse(405, 'the page is only read');
  const [, given = ''] = /^Bearer (\S+)$/.exec(one(headers['authorization']) ?? '') ?? [];
  if (!isToken(given, door.token))
    return refuse(
      401,
      'the token is missing or wrong: open the whole address that kubectl ordinal console has printed',
    );
  if (method !== 'GET' && method !== 'POST') return refuse(405, 'there are GET and POST only');
  if (method === 'POST' && one(headers['content-type']) !== 'application/json')
    return refuse(415, 'a question is JSON');
  return undefined;
}

/** What every answer says to the browser: no code and no connection but the console's own, and nothing kept. */
export const headersOfAll: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};
