import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import type { Layer } from './layer.ts';

/** What the image says to its runtime. */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  /** `UID:GID`, never root. */
  readonly user: string;
  readonly workingDirectory: string;
  readonly environment: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Builds an OCI image archive (image-spec 1.1: `oci-layout`, `index.json`, blobs by digest) that `ctr images import`, `skopeo copy oci-archive:` and
 * `docker load` read. The same input gives the same bytes: no date is stored.
 */
export async function imageArchive(name: string, layers: readonly Layer[], config: ImageConfig): Promise<Uint8Array> {
  const blobs = new Map<string, Uint8Array>();
  const store = (bytes: Uint8Array): { digest: string; size: number } => {
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { digest, size: bytes.length };
  };
  const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
  const layerDescriptors = layers.map((layer) => ({
    mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
    ...store(layer.compressed),
  }));
  const configDescriptor = {
    mediaType: 'application/vnd.oci.image.config.v1+json',
    ...store(
      json({
        architecture: 'amd64',
        os: 'linux',
        config: {
          Entrypoint: config.entrypoint,
          User: config.user,
          WorkingDir: config.workingDirectory,
          Env: config.environment,
          Labels: config.labels,
        },
        rootfs: { type: 'layers', diff_ids: layers.map((layer) => digestOf(layer.uncompressed)) },
      }),
    ),
  };
  const manifestType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = store(
    json({ schemaVersion: 2, mediaType: manifestType, config: configDescriptor, layers: layerDescriptors }),
  );
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  const index = json({ schemaVersion: 2, manifests: [{ mediaType: manifestType, ...manifest, annotations }] });

  const archive = pack();
  const collected = buffer(archive);
  const add = (path: string, bytes: Uint8Array): void => {
    archive.entry({ name: path, mtime: new Date(0), mode: 0o644, uid: 0, gid: 0 }, Buffer.from(bytes));
  };
  add('oci-layout', json({ imageLayoutVersion: '1.0.0' }));
  add('index.json', index);
  for (const [digest, bytes] of [...blobs].sort(([a], [b]) => (a < b ? -1 : 1)))
    add(`blobs/sha256/${digest.slice('sha256:'.length)}`, bytes);
  archive.finalize();
  return collected;
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
