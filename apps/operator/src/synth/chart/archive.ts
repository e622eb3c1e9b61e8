import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** A chart as Helm packs one: its files in a folder, compressed. The same files give the same bytes: their order is kept, and no date is stored. */
export async function chartArchive(folder: string, files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const archive = pack();
  const collected = buffer(archive);
  for (const [path, text] of Object.entries(files))
    archive.entry({ name: `${folder}/${path}`, mtime: new Date(0), mode: 0o644, uid: 0, gid: 0 }, text);
  archive.finalize();
  return gzipSync(await collected, { level: 9 });
}
