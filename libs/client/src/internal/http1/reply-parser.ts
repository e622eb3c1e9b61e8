import { TransportError } from '../../error.ts';

/** What a reply says before its body. */
export interface ReplyHead {
  readonly status: number;
  /** Names in lower case; the values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What receives a reply as it arrives. */
export interface ReplySink {
  head(head: ReplyHead): void;
  body(chunk: Uint8Array): void;
  /** The reply is complete. `reusable` where another request may be sent on the connection. */
  end(reusable: boolean): void;
}

type State = 'head' | 'counted' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close' | 'done';

/**
 * Reads one HTTP/1.1 reply (RFC 9112) from the bytes of a connection. It is strict, as one server is spoken to and no proxy guesses in between:
 * what does not keep to the rules is a `TransportError` (`MalformedReply`), above all what would leave it open where the reply ends.
 */
export class ReplyParser {
  readonly #sink: ReplySink;
  #state: State = 'head';
  #keepAlive = true;
  #complete = false;
  /** Bytes of the body, or of its chunk, that have not come. */
  #left = 0;
  /** Bytes of trailers that have come. */
  #trailers = 0;
  /** Heads before the one that counts. */
  #interim = 0;
  /** The beginning of a head or a line of which the rest has not come. */
  #carried: Buffer | undefined;

  constructor(sink: ReplySink) {
    this.#sink = sink;
  }

  /** Takes the next bytes, which must not change afterwards. Throws where they are no reply. */
  push(chunk: Buffer): void {
    const bytes = this.#carried === undefined ? chunk : Buffer.concat([this.#carried, chunk]);
    this.#carried = undefined;
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      const next = this.#step(bytes, at);
      if (next === -1) {
        this.#carry(bytes.subarray(at));
        return;
      }
      at = next;
      if (this.#complete) this.#finish(at === bytes.length);
    }
  }

  /** The server has closed the connection. Throws where the reply is not complete. */
  close(): void {
    if (this.#state === 'done') return;
    if (this.#state !== 'until-close')
      throw new TransportError('ConnectionFailed', 'the connection ended in the middle of a reply');
    this.#finish(false);
  }

  #finish(nothingLeft: boolean): void {
    this.#state = 'done';
    // Bytes behind the reply belong to nothing that was asked for.
    this.#sink.end(this.#keepAlive && nothingLeft);
  }

  // Takes what begins at `at`; gives the place behind it, or -1 where more bytes are needed.
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes, at);
      case 'counted':
      case 'chunk':
        return this.#data(bytes, at);
      case 'chunk-size':
      case 'chunk-end':
      case 'trailer':
        return this.#line(bytes, at);
      default:
        this.#sink.body(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if (end === -1) {
      // Anyone who does not speak HTTP is not waited for.
      if (!'HTTP/1.'.startsWith(bytes.toString('latin1', at, Math.min(at + 7, bytes.length))))
        throw malformed('no HTTP reply');
      return -1;
    }
    if (end - at > longestHead) throw tooLong();
    const { status, version, headers } = parseHead(bytes.toString('latin1', at, end));
    if (status === 101) throw malformed('an upgrade that was not asked for');
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > maxInterim) throw malformed('it never comes to its answer');
    } else {
      this.#keepAlive = version === '1' && !/\bclose\b/i.test(headers['connection'] ?? '');
      // RFC 9112, 6.1: an HTTP/1.0 server knows no chunks, and a proxy in between has mixed two replies up.
      if (version === '0' && headers['transfer-encoding'] !== undefined) throw malformed('chunks in HTTP/1.0');
      this.#begin(status, headers);
      this.#sink.head({ status, headers });
    }
    return end + 4;
  }

  // How the body ends: RFC 9112, 6.3.
  #begin(status: number, headers: Readonly<Record<string, string>>): void {
    const { 'transfer-encoding': encoding, 'content-length': length } = headers;
    if (status === 204 || status === 304) {
      this.#complete = true;
    } else if (encoding !== undefined) {
      if (encoding.toLowerCase() !== 'chunked' || length !== undefined)
        throw malformed('the end of the body is not clear');
      this.#state = 'chunk-size';
    } else if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) throw malformed(`content-length "${length}"`);
      this.#left = Number(length);
      this.#state = 'counted';
      this.#complete = this.#left === 0;
    } else {
      this.#state = 'until-close';
      this.#keepAlive = false;
    }
  }

  #data(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#sink.body(bytes.subarray(at, end));
    if (this.#left === 0) {
      if (this.#state === 'chunk') this.#state = 'chunk-end';
      else this.#complete = true;
    }
    return end;
  }

  #line(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n', at, 'latin1');
    if (end === -1) return -1;
    if (end - at > longestLine[this.#state === 'trailer' ? 'trailer' : 'chunk']) throw tooLong();
    const line = bytes.toString('latin1', at, end);
    if (this.#state === 'chunk-size') {
      const size = chunkSize.exec(line)?.[1];
      if (size === undefined) throw malformed(`chunk size "${line.slice(0, 40)}"`);
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    } else if (this.#state === 'chunk-end') {
      if (line !== '') throw malformed('a chunk is longer than it said');
      this.#state = 'chunk-size';
    } else if (line === '') {
      this.#complete = true;
    } else {
      this.#trailer(line);
    }
    return end + 2;
  }

  // A trailer is not used, but it has to be valid, and must not say anything of where the body ends (RFC 9110, 6.5.1).
  #trailer(line: string): void {
    this.#trailers += line.length;
    if (this.#trailers > longestHead) throw tooLong();
    if (strayControl.test(line)) throw malformed('a control character in a trailer');
    const { name } = fieldOf(line);
    if (name === 'content-length' || name === 'transfer-encoding') throw malformed(`${name} in a trailer`);
  }

  #carry(rest: Buffer): void {
    if (rest.length > longestHead) throw tooLong();
    this.#carried = rest;
  }
}

const longestHead = 64 * 1024;
/** Bytes of a line behind the head. */
const longestLine = { trailer: longestHead, chunk: 1024 } as const;
/** Any number of them may come (RFC 9110, 15.2), but nothing else with them forever. */
const maxInterim = 20;

// Characters that no line has: RFC 9110, 5.5. Among them CR and LF where they do not end a line together (RFC 9112, 2.2).
// eslint-disable-next-line no-control-regex -- exactly these
const strayControl = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;
// RFC 9112, 7.1 and 7.1.1, without white space: no server that we know sends it.
const chunkSize =
  /^([0-9a-f]{1,12})(?:;[!#$%&'*+.^_`|~0-9a-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9a-z-]+|"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"))?)*$/i;

function parseHead(text: string): { status: number; version: string; headers: Record<string, string> } {
  if (strayControl.test(text)) throw malformed('a control character in its head');
  const lines = text.split('\r\n');
  const start = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/.exec(lines[0] ?? '');
  if (start === null) throw malformed(`status line "${(lines[0] ?? '').slice(0, 40)}"`);
  // Without a prototype: a header may be called like something in it.
  const headers = Object.create(null) as Record<string, string>;
  for (let at = 1; at < lines.length; at += 1) {
    const { name, value } = fieldOf(lines[at] ?? '');
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { status: Number(start[2]), version: start[1] ?? '0', headers };
}

function fieldOf(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!token.test(name)) throw malformed(`header "${line.slice(0, 40)}"`);
  return { name, value: withoutSpace(line, colon + 1) };
}

/** The rest of a line without the spaces and tabs around it; other white space belongs to a value. */
function withoutSpace(line: string, from: number): string {
  let end = line.length;
  while (from < end && isSpace(line, from)) from += 1;
  while (end > from && isSpace(line, end - 1)) end -= 1;
  return line.slice(from, end);
}

function isSpace(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

function malformed(what: string): TransportError {
  return new TransportError('MalformedReply', `not a reply in HTTP/1.1: ${what}`);
}

function tooLong(): TransportError {
  return malformed('its head, or a line behind it, is too long');
}
