import { expect, it } from 'vitest';
import { jsonBody } from './json-body.ts';

async function textOf(body: AsyncIterable<Uint8Array>): Promise<{ readonly text: string; readonly pieces: number }> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return { text: Buffer.concat(pieces).toString('utf8'), pieces: pieces.length };
}

it('encodes a long list piece by piece, to the same text', async () => {
  const items = Array.from({ length: 1234 }, (_, index) => ({ metadata: { name: `ä-${index}` } }));
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items };
  const { text, pieces } = await textOf(jsonBody(list));
  expect(text).toBe(JSON.stringify(list));
  expect(pieces).toBeGreaterThan(10);
});
