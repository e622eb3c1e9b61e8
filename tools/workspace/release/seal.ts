import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { bundleToJSON, toDSSEBundle, toMessageSignatureBundle } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import type { Signer } from './key.ts';
import { provenance, statementType, type Origin, type Subject } from './statement.ts';

const sums = 'SHA256SUMS';

/** How a folder is sealed. */
export interface SealOptions {
  readonly origin: Origin;
  /** Without one the folder has checksums and a statement that no key vouches for. */
  readonly signer?: Signer;
}

/**
 * Makes a release of a folder with all of its files: writes `provenance.json`, `SHA256SUMS` of every file and, with a signer, their signatures: `SHA256SUMS.sig` for
 * openssl and cosign, and both as sigstore bundles.
 */
export function seal(folder: string, { origin, signer }: SealOptions): void {
  const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);
  const statement = Buffer.from(JSON.stringify(provenance(subjectsIn(folder), origin), null, 2));
  write('provenance.json', statement);
  if (signer) write('provenance.sigstore.json', signedStatement(statement, signer));
  const list = Buffer.from(
    subjectsIn(folder)
      .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
      .join(''),
  );
  write(sums, list);
  if (!signer) return;
  const signature = signer.sign(list);
  const digest = createHash('sha256').update(list).digest();
  write(`${sums}.sig`, `${signature.toString('base64')}\n`);
  write(
    `${sums}.sigstore.json`,
    json(bundleToJSON(toMessageSignatureBundle({ digest, signature, keyHint: signer.hint }))),
  );
}

/** All files of a folder by their paths in it, in the order of these. */
function subjectsIn(folder: string): readonly Subject[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      name: relative(folder, path).split(sep).join('/'),
      sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The statement in an envelope (DSSE), as a sigstore bundle. */
function signedStatement(statement: Buffer, signer: Signer): string {
  const signature = signer.sign(dsse.preAuthEncoding(statementType, statement));
  return json(
    bundleToJSON(toDSSEBundle({ artifact: statement, artifactType: statementType, signature, keyHint: signer.hint })),
  );
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
