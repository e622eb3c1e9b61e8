import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import type { RDSClient } from '@aws-sdk/client-rds';
import { ExternalError } from '@ordinal/lifecycle';

/** Longer replies than this are refused, in bytes. A list of the instances that are asked for together is some 100 KiB. */
const maxReplyBytes = 1_048_576;

/** Has the client refuse replies that are too long, before it has read them to their end: a foreign endpoint must not fill the memory. */
export function boundReplies(client: RDSClient): void {
  client.middlewareStack.add(
    (next) => async (call) => {
      const answer = await next(call);
      const { response } = answer as { readonly response: { body?: unknown } }; // The HTTP reply, whose body is a stream in Node.
      if (isReadable(response.body)) response.body = bounded(response.body);
      return answer;
    },
    // Nearest to the connection: before anything has read the body.
    { step: 'deserialize', priority: 'low', name: 'boundedReply' },
  );
}

const isReadable = (body: unknown): body is Readable =>
  typeof body === 'object' && body !== null && 'pipe' in body && typeof body.pipe === 'function';

function bounded(body: Readable): Readable {
  let length = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length <= maxReplyBytes) return done(null, chunk);
      body.destroy();
      done(new ExternalError('ReplyTooLarge', `RDS: the reply is longer than ${maxReplyBytes} bytes`));
    },
  });
  body.once('error', (error) => meter.destroy(error));
  return body.pipe(meter);
}
