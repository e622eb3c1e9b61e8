import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** The plugin as an archive to unpack into a folder of the PATH: no npm is needed. `files` by their names. The same files give the same bytes. */
export async function pluginArchive(files: Readonly<Record<string, string | Buffer>>): Promise<Uint8Array> {
  const archive = pack();
  const collected = buffer(archive);
  for (const [name, content] of Object.entries(files)) {
    const isProgram = name.startsWith('kubectl');
    archive.entry({ name, mtime: new Date(0), mode: isProgram ? 0o755 : 0o644, uid: 0, gid: 0 }, content);
  }
  archive.finalize();
  return gzipSync(await collected, { level: 9 });
}
