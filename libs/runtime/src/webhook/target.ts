import { RequestRefused } from './body.ts';

/** What a request line asks for. */
export interface RequestTarget {
  readonly path: string;
  /** How long the caller waits, in milliseconds; forever where it does not say. */
  readonly timeoutMs: number;
}

/** Segments with something in them, of the characters that may stand there (RFC 3986, 3.3), and a query. The API server sends no other. */
const wanted = /^((?:\/[\w.~!$&'()*+,;=:@%-]+)+)(?:\?([\x21\x24-\x7e]*))?$/;
const longest = 1024;

/** Reads the target of a request. Throws a `RequestRefused` where it is none that the API server would send. */
export function readTarget(target: string): RequestTarget {
  const [, path, query = ''] = (target.length <= longest && wanted.exec(target)) || [];
  if (path === undefined) throw new RequestRefused(400, 'the target of the request is not a path');
  const seconds = /(?:^|&)timeout=(\d{1,6}(?:\.\d{1,9})?)s(?:&|$)/.exec(query)?.[1];
  return { path, timeoutMs: seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000 };
}
