import type { ApiReply } from '../request.ts';

const encoder = new TextEncoder();

/** Lists longer than this are encoded piece by piece. */
const pieceOfList = 100;

/** A body of one piece. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * A body as JSON. Long lists are encoded as they are read: their objects never change, and their text all at once would be the largest thing in memory.
 */
export function jsonBody(body: ApiReply['body']): AsyncIterable<Uint8Array> {
  const { items } = body;
  // What is encoded later must be refused now, where it is no JSON.
  if (!Array.isArray(items) || items.length <= pieceOfList) return once(encoder.encode(JSON.stringify(body)));
  return listBody(body, items);
}

async function* listBody(body: ApiReply['body'], items: readonly unknown[]): AsyncGenerator<Uint8Array> {
  const { items: _, ...head } = body;
  // Every list has a kind, and so a field before its items.
  yield encoder.encode(`${JSON.stringify(head).slice(0, -1)},"items":[`);
  for (let first = 0; first < items.length; first += pieceOfList) {
    const piece = JSON.stringify(items.slice(first, first + pieceOfList)).slice(1, -1);
    yield encoder.encode(first === 0 ? piece : `,${piece}`);
  }
  yield encoder.encode(']}');
}
