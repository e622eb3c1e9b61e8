import type { TransportRequest } from '../../transport.ts';

/** What is put around a request. */
export interface RequestFrame {
  readonly host: string;
  readonly basePath: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly compressed: boolean;
}

// A line break in a path or a value would begin another header, or another request.
const plainPath = /^[\x21-\x7e]+$/;
// eslint-disable-next-line no-control-regex -- exactly these must not be in a header
const controls = /[\x00-\x08\x0a-\x1f\x7f]/;

/** A request's line and headers as they are sent, with the empty line behind them. Throws a `TypeError` for what can't stand there. */
export function requestHead(request: TransportRequest, frame: RequestFrame): string {
  const path = frame.basePath + request.path;
  if (!plainPath.test(path)) throw new TypeError(`${JSON.stringify(path)} can't be the path of a request: encode it`);
  let head = `${request.method} ${path} HTTP/1.1\r\nhost: ${frame.host}\r\n`;
  for (const name in frame.credentials) {
    if (request.headers?.[name] === undefined) head += line(name, frame.credentials[name] ?? '');
  }
  for (const name in request.headers) head += line(name, request.headers[name] ?? '');
  for (const name in request.repeatedHeaders) {
    for (const value of request.repeatedHeaders[name] ?? []) head += line(name, value);
  }
  if (frame.compressed) head += 'accept-encoding: gzip\r\n';
  if (request.body !== undefined) head += `content-length: ${Buffer.byteLength(request.body)}\r\n`;
  else if (request.method !== 'GET') head += 'content-length: 0\r\n';
  return `${head}\r\n`;
}

function line(name: string, value: string): string {
  if (controls.test(value)) throw new TypeError(`the value of header ${name} has a control character in it`);
  return `${name}: ${value}\r\n`;
}
