import type { TransportRequest } from '../../transport.ts';

/** What is put around a request. */
export interface RequestFrame {
  readonly host: string;
  readonly basePath: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly compressed: boolean;
}

// A token: RFC 9110, 5.6.2.
const name = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// A line break in a path, a name or a value would begin another header, or another request.
const plainPath = /^[\x21-\x7e]+$/;
// eslint-disable-next-line no-control-regex -- exactly these must not be in a header
const controls = /[\x00-\x08\x0a-\x1f\x7f]/;

/** A request's line and headers as they are sent, with the empty line behind them. Throws a `TypeError` for what can't stand there. */
export function requestHead(request: TransportRequest, frame: RequestFrame): string {
  const path = frame.basePath + request.path;
  if (!plainPath.test(path)) throw new TypeError(`${JSON.stringify(path)} can't be the path of a request: encode it`);
  if (!name.test(request.method)) throw new TypeError(`${JSON.stringify(request.method)} is no method of a request`);
  let head = `${request.method} ${path} HTTP/1.1\r\nhost: ${frame.host}\r\n`;
  for (const field in frame.credentials) {
    if (request.headers?.[field] === undefined) head += line(field, frame.credentials[field] ?? '');
  }
  for (const field in request.headers) head += line(field, request.headers[field] ?? '');
  for (const field in request.repeatedHeaders) {
    for (const value of request.repeatedHeaders[field] ?? []) head += line(field, value);
  }
  if (frame.compressed) head += 'accept-encoding: gzip\r\n';
  if (request.body !== undefined) head += `content-length: ${Buffer.byteLength(request.body)}\r\n`;
  else if (request.method !== 'GET') head += 'content-length: 0\r\n';
  return `${head}\r\n`;
}

function line(field: string, value: string): string {
  if (!name.test(field)) throw new TypeError(`${JSON.stringify(field)} is no name of a header`);
  if (controls.test(value)) throw new TypeError(`the value of header ${field} has a control character in it`);
  return `${field}: ${value}\r\n`;
}
