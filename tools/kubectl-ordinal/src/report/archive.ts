import { gzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** Files as a compressed archive (`.tgz`), in the order of their names. Times are those that are given, in milliseconds. */
export async function archiveOf(files: ReadonlyMap<string, string>, now: number): Promise<Uint8Array> {
  const archive = pack();
  const mtime = new Date(now);
  for (const [name, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    archive.entry({ name, mtime, mode: 0o600 }, text);
  archive.finalize();
  return gzipSync(await buffer(archive));
}
