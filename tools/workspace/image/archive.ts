import type { Layer } from './layer.ts';
import { digestOf, indexType, Layout, manifestType } from './layout.ts';
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
};

/**
 * Builds an OCI image archive that `ctr images import`, `skopeo copy oci-archive:` and `docker load` read. With several processors the name stands for an index of
 * their images. The same input gives the same bytes.
 */
export function imageArchive(name: string, images: readonly PlatformImage[], config: ImageConfig): Promise<Uint8Array> {
  const layout = new Layout();
  const manifests = images.map(({ processor, layers }) => {
    const manifest = {
      schemaVersion: 2,
      mediaType: manifestType,
      config: layout.storeJson(types.config, configOf(processor, layers, config)),
      layers: layers.map((layer) => layout.store(types.layer, layer.compressed)),
    };
    return { ...layout.storeJson(manifestType, manifest), platform: { architecture: processor, os: 'linux' } };
  });
  const [only, ...others] = manifests;
  const named =
    others.length === 0 && only !== undefined
      ? only
      : layout.storeJson(indexType, { schemaVersion: 2, mediaType: indexType, manifests });
  return layout.archive(named, { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name });
}

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
