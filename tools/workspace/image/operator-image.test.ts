import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildOperatorImage } from './operator-image.ts';

test('the operator’s image is the same to the byte when it is built again in another folder, and smaller than 120 MB', async () => {
  const folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'ordinal-image-')));
  try {
    const [one, other] = await Promise.all(folders.map((folder) => buildOperatorImage(folder, { version: '1.2.3' })));
    expect(Buffer.compare(Buffer.from(one!), Buffer.from(other!))).toBe(0);
    expect(one!.length).toBeLessThan(120e6);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
  // Two images are packed: two minutes where other work runs beside it.
}, 600_000);
