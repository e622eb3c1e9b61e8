import { TransportError } from '../error.ts';

type Phase = 'head' | 'items' | 'tail';

/**
 * Cuts a list's JSON into its items as the bytes arrive, so that no list is ever held, or parsed, as a whole. What is not inside `items`
 * (kind, metadata) is the envelope. Only the structure is looked at: strings, brackets and commas. Each item is parsed by `JSON.parse` later, which
 * refuses what is malformed inside it.
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

  /** Takes the next bytes; gives the items that are complete, as text. The bytes must not change afterwards. */
  push(chunk: Uint8Array): string[] {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const items: string[] = [];
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
    const { length } = bytes;
    let { depth, inString } = this;
    let start = depth > 0 ? 0 : -1;
    let at = 0;
    if (this.escaped && length > 0) {
      this.escaped = false;
      at = 1;
    }
    for (; at < length; at += 1) {
      const byte = bytes[at];
      if (inString) {
        if (byte === quote) inString = false;
        else if (byte === backslash) at += 1;
      } else if (byte === quote) {
        if (depth === 0) throw malformedItem();
        inString = true;
      } else if (byte === openBrace || byte === openBracket) {
        if (depth === 0) {
          if (byte === openBracket) throw malformedItem();
          start = at;
        }
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        if (depth === 0) {
          if (byte === closeBrace) throw malformedItem();
          this.phase = 'tail';
          return at;
        }
        depth -= 1;
        if (depth === 0) {
          items.push(this.complete(bytes.subarray(start, at + 1)));
          start = -1;
        }
      } else if (depth === 0 && byte !== comma && byte !== undefined && byte > space) throw malformedItem();
    }
    // The scan stepped over the byte after a backslash, which has not come yet.
    this.escaped = at > length;
    this.depth = depth;
    this.inString = inString;
    if (start !== -1) this.partial.push(bytes.subarray(start));
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

function malformedItem(): TransportError {
  return new TransportError('MalformedReply', 'the items of the list are not objects');
}
