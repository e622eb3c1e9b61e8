import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { extract } from 'tar-stream';
import { gunzipSync } from 'node:zlib';
import { imageArchive, type ImageConfig, type PlatformImage } from './archive.ts';
import { packLayer, type Entry } from './layer.ts';
import type { Processor } from './processors.ts';

const config: ImageConfig = {
  entrypoint: ['/bin/a'],
  user: '65532:65532',
  workingDirectory: '/',
  environment: [],
  labels: {},
};
const entries: readonly Entry[] = [
  { kind: 'file', path: 'bin/a', content: Buffer.from('program'), mode: 0o755 },
  { kind: 'folder', path: 'bin' },
  { kind: 'link', path: 'bin/b', target: 'a' },
];

const imageOf = async (of: readonly Entry[], processor: Processor = 'amd64'): Promise<PlatformImage> => ({
  processor,
  layers: [await packLayer(of)],
});

async function unpack(archive: Uint8Array): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const reader = extract();
  reader.end(archive);
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    files.set(entry.header.name, Buffer.concat(chunks));
  }
  return files;
}

describe('an image archive', () => {
  test('is the same to the byte, in whatever order its entries come', async () => {
    const one = await imageArchive('x:1', [await imageOf(entries)], config);
    const other = await imageArchive('x:1', [await imageOf([...entries].reverse())], config);
    expect(Buffer.compare(Buffer.from(one), Buffer.from(other))).toBe(0);
  });

  test('names each blob by its digest, and the config lists the uncompressed layers', async () => {
    const files = await unpack(await imageArchive('x:1', [await imageOf(entries)], config));
    for (const [path, bytes] of files) {
      if (path.startsWith('blobs/'))
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(path.split('/').at(-1));
    }
    const blob = (digest: string): Buffer => files.get(`blobs/sha256/${digest.split(':')[1]}`) ?? Buffer.alloc(0);
    const index = JSON.parse(files.get('index.json')?.toString() ?? '') as { manifests: [{ digest: string }] };
    const manifest = JSON.parse(blob(index.manifests[0].digest).toString()) as {
      config: { digest: string };
      layers: [{ digest: string }];
    };
    const stored = JSON.parse(blob(manifest.config.digest).toString()) as {
      config: { User: string };
      rootfs: { diff_ids: string[] };
    };
    const layer = gunzipSync(blob(manifest.layers[0].digest));
    expect(stored.rootfs.diff_ids).toEqual([`sha256:${createHash('sha256').update(layer).digest('hex')}`]);
    expect(stored.config.User).toBe('65532:65532');
    expect([...(await unpack(layer)).keys()]).toEqual(['bin', 'bin/a', 'bin/b']);
  });

  test('of two processors is an index of an image for each, under one name', async () => {
    const images = [await imageOf(entries), await imageOf([...entries.slice(0, 2)], 'arm64')];
    const files = await unpack(await imageArchive('x:1', images, config));
    const blob = (digest: string): Buffer => files.get(`blobs/sha256/${digest.split(':')[1]}`) ?? Buffer.alloc(0);
    interface Listed {
      readonly manifests: readonly {
        readonly digest: string;
        readonly platform?: object;
        readonly annotations?: object;
      }[];
    }
    const outer = JSON.parse(files.get('index.json')?.toString() ?? '') as Listed;
    expect(outer.manifests.map(({ annotations }) => annotations)).toEqual([
      expect.objectContaining({ 'io.containerd.image.name': 'x:1' }),
    ]);
    const inner = JSON.parse(blob(outer.manifests[0]?.digest ?? '').toString()) as Listed;
    const configs = inner.manifests.map(({ digest, platform }) => {
      const manifest = JSON.parse(blob(digest).toString()) as { config: { digest: string } };
      const { architecture } = JSON.parse(blob(manifest.config.digest).toString()) as { architecture: string };
      return { architecture, platform };
    });
    expect(configs).toEqual([
      { architecture: 'amd64', platform: { architecture: 'amd64', os: 'linux' } },
      { architecture: 'arm64', platform: { architecture: 'arm64', os: 'linux' } },
    ]);
  });
});
