import { ExternalError } from '@ordinal/lifecycle';

const headerLength = 5; // A letter, and the length of what follows, itself included.
const errorResponse = 0x45;
const noticeResponse = 0x4e;

/**
 * Takes what a PostgreSQL server sends and gives whole messages on. A report (an error or a notice) without the end that the protocol asks for is refused:
 * pg's parser looks for that end forever, and the process stands still.
 */
export class MessageGuard {
  private pending: Buffer = Buffer.alloc(0);

  /**
   * The messages that are complete now; empty where none is.
   *
   * @throws ExternalError with code `MalformedReply`.
   */
  take(chunk: Buffer): Buffer {
    const received = Buffer.concat([this.pending, chunk]);
    let end = 0;
    while (received.length - end >= headerLength) {
      const length = received.readUInt32BE(end + 1);
      if (length < headerLength - 1) throw malformed('a message that is shorter than its header');
      if (received.length - end < length + 1) break;
      const body = received.subarray(end + headerLength, end + length + 1);
      if (isReport(received[end]) && !isEnded(body)) throw malformed('a report that does not end');
      end += length + 1;
    }
    this.pending = received.subarray(end);
    return received.subarray(0, end);
  }
}

const isReport = (letter: number | undefined): boolean => letter === errorResponse || letter === noticeResponse;

/** A report is a list of fields, each a letter and a text that ends with a zero, and a zero after the last. */
function isEnded(body: Buffer): boolean {
  let at = 0;
  while (at < body.length && body[at] !== 0) {
    const end = body.indexOf(0, at + 1);
    if (end < 0) return false;
    at = end + 1;
  }
  return at < body.length;
}

const malformed = (what: string): ExternalError =>
  new ExternalError('MalformedReply', `PostgreSQL: the server has sent ${what}`);
