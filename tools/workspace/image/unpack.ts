import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { Entry } from './layer.ts';

/** The files and links of a tar archive whose paths a test takes, with paths that begin at the root. Everything else is left out. */
export async function unpacked(archive: Uint8Array, isTaken: (path: string) => boolean): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader) {
    const { name, type, mode = 0o644, linkname } = entry.header;
    const path = posix.normalize(name).replace(/^\/+/, '');
    const content = await buffer(entry);
    if (!isTaken(path)) continue;
    if (type === 'file') entries.push({ kind: 'file', path, content, mode });
    else if (type === 'symlink') entries.push({ kind: 'link', path, target: linkname ?? '' });
  }
  return entries;
}
