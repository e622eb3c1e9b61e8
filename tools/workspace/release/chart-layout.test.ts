import { execFile, execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, describe, expect, test } from 'vitest';
import { unpacked } from '../image/unpack.ts';
import { chartLayout } from './chart-layout.ts';

const scratch = mkdtempSync(join(tmpdir(), 'ordinal-chart-'));
let registry: Server | undefined;

afterAll(() => {
  registry?.close();
  rmSync(scratch, { recursive: true, force: true });
});

interface Index {
  readonly manifests: readonly { readonly digest: string; readonly mediaType: string; readonly annotations: object }[];
}

const cluster = join(import.meta.dirname, '../../cluster/cluster');
const version = '1.2.3+build.4';
const chart = await packed({
  'Chart.yaml': `apiVersion: v2\nname: shop\nversion: ${version}\ndescription: A shop\n`,
  'values.yaml': 'replicas: 3\n',
});
const hasHelm = isHelmThere();

/** A chart of these files, as Helm packs one. */
async function packed(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const archive = pack();
  const collected = buffer(archive);
  for (const [path, text] of Object.entries(files)) archive.entry({ name: `shop/${path}` }, text);
  archive.finalize();
  return gzipSync(await collected);
}

/** Whether there is the Helm that `npm run helm` builds: built now, where there is Go. */
function isHelmThere(): boolean {
  try {
    execFileSync('bash', [cluster, 'helm', 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The files of a layout, by path. */
async function filesOf(archive: Uint8Array): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await unpacked(archive, () => true);
  return new Map(entries.flatMap((entry) => (entry.kind === 'file' ? [[entry.path, Buffer.from(entry.content)]] : [])));
}

/** A registry that serves what is in a layout, and nothing else (distribution-spec: pull). Resolves with its address. */
async function serve(files: ReadonlyMap<string, Buffer>): Promise<string> {
  const index = JSON.parse(String(files.get('index.json'))) as Index;
  registry = createServer(({ url = '' }, response) => {
    const [, kind, reference = ''] = /^\/v2\/charts\/[^/]+\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
    const named = index.manifests.find(
      ({ annotations }) =>
        JSON.stringify(annotations) === JSON.stringify({ 'org.opencontainers.image.ref.name': reference }),
    );
    const digest = kind === 'manifests' ? (named?.digest ?? reference) : reference;
    const bytes = files.get(`blobs/sha256/${digest.replace('sha256:', '')}`);
    if (bytes === undefined) return void response.writeHead(url === '/v2/' ? 200 : 404).end();
    const type = kind === 'manifests' ? index.manifests[0]?.mediaType : 'application/octet-stream';
    const headers = { 'content-type': type, 'content-length': bytes.length, 'docker-content-digest': digest };
    return void response.writeHead(200, headers).end(bytes);
  });
  await new Promise<void>((resolve) => registry?.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(registry.address() as AddressInfo).port}`;
}

describe('the chart as an OCI layout', () => {
  test('is the same to the byte each time', async () => {
    expect(Buffer.compare(await chartLayout(chart), await chartLayout(chart))).toBe(0);
  });

  test.skipIf(!hasHelm)(
    `is pulled by Helm, to the byte, from a registry that holds it (${hasHelm ? 'with Helm' : 'no Helm here'})`,
    async () => {
      const address = await serve(await filesOf(await chartLayout(chart)));
      const from = ['helm', 'pull', `oci://${address}/charts/shop`, '--version', version, '--plain-http'];
      await promisify(execFile)('bash', [cluster, ...from, '--destination', scratch]);
      expect(readFileSync(join(scratch, `shop-${version}.tgz`)).equals(chart)).toBe(true);
    },
    120_000,
  );

  test('of what is no chart is refused', async () => {
    const other = await packed({ 'values.yaml': '' });
    await expect(chartLayout(other)).rejects.toThrow('the chart has no Chart.yaml');
  });
});
