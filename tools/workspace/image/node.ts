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

/** Node's program for a processor, from the npm registry. Throws where its bytes are others than those that were reviewed. */
export async function nodeProgram(processor: Processor, folder: string): Promise<Entry> {
  const { name, integrity } = processors[processor];
  const words = ['pack', '--silent', '--pack-destination', folder, `${name}@${nodeVersion}`];
  const file = execFileSync('npm', words, { encoding: 'utf8' }).trim();
  const archive = readFileSync(join(folder, file));
  verifyIntegrity(`${name} ${nodeVersion}`, archive, integrity);
  const [program] = await unpacked(gunzipSync(archive), (path) => path === 'package/bin/node');
  if (program?.kind !== 'file') throw new Error(`${name} ${nodeVersion} has no bin/node`);
  return { ...program, path: 'usr/bin/node', mode: 0o755 };
}
