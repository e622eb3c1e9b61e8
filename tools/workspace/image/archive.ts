import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import type { Layer } from './layer.ts';
import type { Processor } from './processors.ts';

/** What the image says to its runtime. */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  /** `UID:GID`, never root. */
  readonly user: string;
  readonly workingDirectory: string;
  readonly environment: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** An image for one processor. */
export interface PlatformImage {
  readonly processor: Processor;
  readonly layers: readonly Layer[];
}

const types = {
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
};

/**
 * Builds an OCI image archive (image-spec 1.1: `oci-layout`, `index.json`, blobs by digest) that `ctr images import`, `skopeo copy oci-archive:` and
 * `docker load` read. With several processors the name stands for an index of their images. The same input gives the same bytes: no date is stored.
 */
export async function imageArchive(
  name: string,
  images: readonly PlatformImage[],
  config: ImageConfig,
): Promise<Uint8Array> {
  const blobs = new Map<string, Uint8Array>();
  const store = (mediaType: string, bytes: Uint8Array) => {
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const manifests = images.map(({ processor, layers }) => {
    const manifest = json({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: store(types.config, json(configOf(processor, layers, config))),
      layers: layers.map((layer) => store(types.layer, layer.compressed)),
    });
    return { ...store(types.manifest, manifest), platform: { architecture: processor, os: 'linux' } };
  });
  const [only, ...others] = manifests;
  const named =
    others.length === 0 && only !== undefined
      ? only
      : store(types.index, json({ schemaVersion: 2, mediaType: types.index, manifests }));
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  const index = json({ schemaVersion: 2, manifests: [{ ...named, annotations }] });

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

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** The configuration of an image, as image-spec's `config.md` has it. */
const configOf = (processor: Processor, layers: readonly Layer[], config: ImageConfig): object => ({
  architecture: processor,
  os: 'linux',
  config: {
    Entrypoint: config.entrypoint,
    User: config.user,
    WorkingDir: config.workingDirectory,
    Env: config.environment,
    Labels: config.labels,
  },
  rootfs: { type: 'layers', diff_ids: layers.map((layer) => digestOf(layer.uncompressed)) },
});

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
