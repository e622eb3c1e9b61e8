import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** What a manifest says of a blob (image-spec 1.1, `descriptor.md`). */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** The media types that every artifact has. */
export const manifestType = 'application/vnd.oci.image.manifest.v1+json';
export const indexType = 'application/vnd.oci.image.index.v1+json';

/**
 * Collects the blobs of an OCI image layout (image-spec 1.1: `oci-layout`, `index.json`, blobs by digest), and packs it as one archive, which `skopeo copy oci-archive:` reads.
 * The same blobs give the same bytes: no date is stored.
 */
export class Layout {
  readonly #blobs = new Map<string, Uint8Array>();

  /** Stores a blob; the same one twice is stored once. */
  store(mediaType: string, bytes: Uint8Array): Descriptor {
    const digest = digestOf(bytes);
    this.#blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  }

  /** Stores a value as JSON. */
  storeJson(mediaType: string, value: unknown): Descriptor {
    return this.store(mediaType, json(value));
  }

  /** The archive, whose index names one manifest, or an index of several, by these annotations. */
  archive(named: Descriptor, annotations: Readonly<Record<string, string>>): Promise<Uint8Array> {
    const archive = pack();
    const collected = buffer(archive);
    const add = (path: string, bytes: Uint8Array): void => {
      archive.entry({ name: path, mtime: new Date(0), mode: 0o644, uid: 0, gid: 0 }, Buffer.from(bytes));
    };
    add('oci-layout', json({ imageLayoutVersion: '1.0.0' }));
    add('index.json', json({ schemaVersion: 2, manifests: [{ ...named, annotations }] }));
    for (const [digest, bytes] of [...this.#blobs].sort(([a], [b]) => (a < b ? -1 : 1)))
      add(`blobs/sha256/${digest.slice('sha256:'.length)}`, bytes);
    archive.finalize();
    return collected;
  }
}

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** The digest that a blob is called by. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
