import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Entry } from './layer.ts';
import { nodeVersion, processors, type Processor } from './processors.ts';
import { unpacked } from './unpack.ts';

/** Throws where the bytes are not those that the integrity (`sha512-…`) names. */
export function verifyIntegrity(what: string, bytes: Uint8Array, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (found !== integrity) throw new Error(`${what} is not what processors.ts names: ${found} instead of ${integrity}`);
}

/** Node for a processor: its program, as it is in an image, and its license. */
export interface NodeFiles {
  readonly program: Entry & { readonly kind: 'file' };
  readonly license: string;
}

/** Node's program for a processor, from the npm registry. Throws where its bytes are others than those that were reviewed. */
export async function nodeProgram(processor: Processor, folder: string): Promise<Entry> {
  return (await nodeFiles(processor, folder)).program;
}

/** The same, with its license. */
export async function nodeFiles(processor: Processor, folder: string): Promise<NodeFiles> {
  const { name, integrity } = processors[processor];
  const words = ['pack', '--silent', '--pack-destination', folder, `${name}@${nodeVersion}`];
  const file = execFileSync('npm', words, { encoding: 'utf8' }).trim();
  const archive = readFileSync(join(folder, file));
  verifyIntegrity(`${name} ${nodeVersion}`, archive, integrity);
  const wanted = ['package/bin/node', 'package/LICENSE'];
  const entries = await unpacked(gunzipSync(archive), (path) => wanted.includes(path));
  const [program, license] = wanted.map((path) => entries.find((entry) => entry.path === path));
  if (program?.kind !== 'file') throw new Error(`${name} ${nodeVersion} has no bin/node`);
  if (license?.kind !== 'file') throw new Error(`${name} ${nodeVersion} has no LICENSE`);
  return {
    program: { ...program, path: 'usr/bin/node', mode: 0o755 },
    license: Buffer.from(license.content).toString('utf8'),
  };
}
