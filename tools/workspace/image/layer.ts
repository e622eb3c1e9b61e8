import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** One entry of a layer: a file with its bytes, a folder, or a symbolic link. */
export type Entry =
  | { readonly kind: 'file'; readonly path: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly kind: 'folder'; readonly path: string; readonly mode?: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** A layer as it is stored, and the digest of its uncompressed form. */
export interface Layer {
  readonly compressed: Uint8Array;
  readonly uncompressed: Uint8Array;
}

/**
 * Packs entries into a compressed layer. The same entries give the same bytes: entries are sorted, all times are zero, everything belongs to root.
 */
export async function packLayer(entries: readonly Entry[]): Promise<Layer> {
  const archive = pack();
  const collected = buffer(archive);
  for (const entry of [...entries].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const common = { name: entry.path, mtime: new Date(0), uid: 0, gid: 0 };
    if (entry.kind === 'file') archive.entry({ ...common, mode: entry.mode ?? 0o644 }, Buffer.from(entry.content));
    else if (entry.kind === 'folder') archive.entry({ ...common, type: 'directory', mode: entry.mode ?? 0o755 });
    else archive.entry({ ...common, type: 'symlink', linkname: entry.target, mode: 0o777 });
  }
  archive.finalize();
  const uncompressed = await collected;
  return { uncompressed, compressed: gzipSync(uncompressed, { level: 9 }) };
}
