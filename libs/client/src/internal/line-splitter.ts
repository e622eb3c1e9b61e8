import { refuseOversize } from './object-limit.ts';

/**
 * Cuts a stream of bytes into lines, each as text without its end. A character is never torn apart, wherever the chunks were cut. A line of more than any object
 * can be is refused with a `TransportError`.
 */
export class LineSplitter {
  private partial: Buffer[] = [];
  private held = 0;

  /** Takes the next bytes; gives the lines that are complete, empty ones left out. */
  push(chunk: Uint8Array): string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const line = this.complete(bytes.subarray(start, end));
      if (line !== '' && line !== '\r') lines.push(line);
      start = end + 1;
    }
    if (start < bytes.length) this.partial.push(bytes.subarray(start));
    this.held = (start === 0 ? this.held : 0) + bytes.length - start;
    refuseOversize(this.held);
    return lines;
  }

  /** What came after the last line's end. */
  rest(): string {
    return this.complete(Buffer.alloc(0));
  }

  private complete(lastPiece: Buffer): string {
    if (this.partial.length === 0) return lastPiece.toString('utf8');
    this.partial.push(lastPiece);
    const text = Buffer.concat(this.partial).toString('utf8');
    this.partial = [];
    return text;
  }
}

const newline = 0x0a;
