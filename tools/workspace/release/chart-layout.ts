import { parse } from 'yaml';
import { gunzipSync } from 'node:zlib';
import { Layout, manifestType } from '../image/layout.ts';
import { unpacked } from '../image/unpack.ts';

/** Helm's media types for a chart in a registry (https://helm.sh/docs/topics/registries). */
const types = {
  config: 'application/vnd.cncf.helm.config.v1+json',
  chart: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
};

/** What a chart says of itself, in its `Chart.yaml`. */
interface ChartMetadata {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

/**
 * A packed chart as an OCI image layout in one archive, as `helm push` would put it into a registry: `skopeo copy oci-archive:FILE docker://…` brings it into one without Helm. The same chart
 * gives the same bytes. Throws where the chart has no `Chart.yaml`.
 */
export async function chartLayout(chart: Uint8Array): Promise<Uint8Array> {
  const metadata = await metadataOf(chart);
  const layout = new Layout();
  const manifest = layout.storeJson(manifestType, {
    schemaVersion: 2,
    mediaType: manifestType,
    config: layout.storeJson(types.config, metadata),
    layers: [layout.store(types.chart, chart)],
    annotations: {
      'org.opencontainers.image.title': metadata.name,
      'org.opencontainers.image.version': metadata.version,
      'org.opencontainers.image.description': metadata.description,
    },
  });
  // A registry's tags have no plus sign: Helm writes an underscore, and so do we.
  return layout.archive(manifest, { 'org.opencontainers.image.ref.name': metadata.version.replaceAll('+', '_') });
}

async function metadataOf(chart: Uint8Array): Promise<ChartMetadata> {
  const [file] = await unpacked(gunzipSync(chart), (path) => /^[^/]+\/Chart\.yaml$/.test(path));
  if (file?.kind !== 'file') throw new Error('the chart has no Chart.yaml');
  return parse(Buffer.from(file.content).toString()) as ChartMetadata;
}
