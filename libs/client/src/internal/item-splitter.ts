import { TransportError } from '../error.ts';
import { refuseOversize } from './object-limit.ts';

type Phase = 'head' | 'items' | 'tail';

/**
 * Cuts a list's JSON into its items as the bytes arrive, so that no list is ever held, or parsed, as a whole. What is not inside `items`
 * (kind, metadata) is the envelope. Only the structure is looked at: strings, brackets and commas. Each item is parsed by `JSON.parse` later, which
 * refuses what is malformed inside it. An item, or the envelope, of more than any object can be is refused.
 */
export class ItemSplitter {
  private phase: Phase = 'head';
  private readonly envelope: Buffer[] = [];
  private partial: Buffer[] = [];
  private depth = 0;
  private inString = false;
  private escaped = false;
  private stringStart = -1;
  private headLength = 0;
  /** How much of an item, or of the envelope, is held until more comes. */
  private held = 0;

  /** Takes the next bytes; gives the items that are complete, as text. The bytes must not change afterwards. */
  push(chunk: Uint8Array): string[] {
    if (chunk.length === 0) return [];
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const items: string[] = [];
    this.held += bytes.length;
    refuseOversize(this.held);
    if (this.phase === 'head') {
      const end = this.findItems(bytes);
      if (end === -1) return items;
      bytes = bytes.subarray(end);
    }
    if (this.phase === 'items') {
      const end = this.cutItems(bytes, items);
      if (end === -1) return items;
      bytes = bytes.subarray(end);
    }
    this.envelope.push(Buffer.from(bytes));
    return items;
  }

  /** The list without its items, once all bytes were pushed. Throws a `TransportError` where the list ended too early. */
  end(): string {
    if (this.phase === 'items') throw new TransportError('MalformedReply', 'the list ended in the middle of its items');
    return Buffer.concat(this.envelope).toString('utf8');
  }

  // Follows the head until the array at the key "items" of the outermost object opens; gives the place after its bracket.
  private findItems(bytes: Buffer): number {
    const head = Buffer.concat([...this.envelope, bytes]);
    this.envelope.length = 0;
    let key = '';
    if (this.stringStart !== -1 && !this.inString) key = keyAt(head, this.stringStart);
    for (let at = this.headLength; at < head.length; at += 1) {
      const byte = head[at];
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === backslash) this.escaped = true;
        else if (byte === quote) {
          this.inString = false;
          key = this.depth === 1 ? keyAt(head, this.stringStart) : '';
        }
      } else if (byte === quote) {
        this.inString = true;
        this.stringStart = at;
      } else if (byte === openBracket && this.depth === 1 && key === 'items') {
        this.envelope.push(head.subarray(0, at + 1));
        this.phase = 'items';
        this.depth = 0;
        return bytes.length - (head.length - at - 1);
      } else if (byte === openBrace || byte === openBracket) {
        this.depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        this.depth -= 1;
      } else if (byte === comma) key = '';
    }
    this.headLength = head.length;
    this.envelope.push(Buffer.from(head));
    return -1;
  }

  // Cuts items until the array closes; gives the place of its closing bracket, or -1 where more bytes are needed.
  private cutItems(bytes: Buffer, items: string[]): number {
    let at = 0;
    for (;;) {
      if (this.depth === 0) {
        at = skipSeparators(bytes, at);
        if (at === bytes.length) return -1;
        if (bytes[at] === closeBracket) {
          this.phase = 'tail';
          return at;
        }
        if (bytes[at] !== openBrace)
          throw new TransportError('MalformedReply', 'the items of the list are not objects');
      }
      const end = this.scanItem(bytes, at);
      if (end === -1) {
        if (at < bytes.length) this.partial.push(bytes.subarray(at));
        return -1;
      }
      items.push(this.complete(bytes.subarray(at, end)));
      this.held = bytes.length - end;
      at = end;
    }
  }

  // The place behind the item that is begun, or -1 where it goes on in the next bytes. Each byte of each list passes here, so it stays plain.
  private scanItem(bytes: Buffer, from: number): number {
    const { length } = bytes;
    let { depth, inString } = this;
    let at = from;
    if (this.escaped && at < length) {
      this.escaped = false;
      at += 1;
    }
    for (; at < length; at += 1) {
      if (inString) {
        at = this.endOfString(bytes, at);
        if (at === -1) {
          this.depth = depth;
          this.inString = true;
          return -1;
        }
        inString = false;
        continue;
      }
      const byte = bytes[at];
      if (byte === quote) inString = true;
      else if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) {
          this.depth = 0;
          this.inString = false;
          return at + 1;
        }
      }
    }
    this.depth = depth;
    this.inString = inString;
    return -1;
  }

  // The place of the quote that ends a string, or -1 where it has not come. Most strings are short; in a long one the next quote is found by other means.
  private endOfString(bytes: Buffer, from: number): number {
    const { length } = bytes;
    const near = Math.min(length, from + shortString);
    let at = from;
    for (; at < near; at += 1) {
      const byte = bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at += 1;
    }
    while (at < length) {
      const end = bytes.indexOf(quote, at);
      const stop = end === -1 ? length : end;
      let escapes = 0;
      while (stop - escapes > at && bytes[stop - escapes - 1] === backslash) escapes += 1;
      const isEscaped = escapes % 2 === 1;
      if (end !== -1 && !isEscaped) return end;
      // Where no more has come, the byte after a backslash is still to come.
      at = stop + (isEscaped ? 1 : 0);
    }
    this.escaped = at > length;
    return -1;
  }

  private complete(lastPiece: Buffer): string {
    if (this.partial.length === 0) return lastPiece.toString('utf8');
    this.partial.push(lastPiece);
    const text = Buffer.concat(this.partial).toString('utf8');
    this.partial = [];
    return text;
  }
}

const shortString = 32;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function keyAt(head: Buffer, start: number): string {
  return head.subarray(start + 1, head.indexOf(quote, start + 1)).toString('latin1');
}

function skipSeparators(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] === comma || (bytes[at] ?? 0) <= space)) at += 1;
  return at;
}
