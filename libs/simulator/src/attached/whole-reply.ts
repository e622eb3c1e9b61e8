import type { TransportReply } from '@ordinal/client';
import { once } from '../api-server/transport/json-body.ts';

/** A reply that has come to its end: while it is still read, the world does not rest. Gives its body, and the reply to hand on. */
export async function wholeReply(
  reply: TransportReply,
): Promise<{ readonly bytes: Buffer; readonly reply: TransportReply }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { bytes, reply: { ...reply, body: once(bytes) } };
}
