// `npm run release`: everything that a release has, with its bill of materials, provenance, checksums and signatures, in dist/release.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../../flags/flags.ts';
import { makeArtifacts, manifestOf } from './artifacts.ts';
import { signerOf, type Signer } from './key.ts';
import { seal } from './seal.ts';

const usage = `npm run release [-- --key=FILE] [-- --unsigned]

Makes everything that a release has into dist/release: packages, image, chart, manifests, plugin, bills of materials, provenance, checksums and signatures.

  --key       the private key that signs, in PEM: an EC key on P-256. Otherwise the environment has it in ORDINAL_RELEASE_KEY. Its passphrase, if it has one, is in
              ORDINAL_RELEASE_KEY_PASSPHRASE
  --unsigned  makes one that is not signed
  --help      prints this`;

const root = join(import.meta.dirname, '../../..');
const { values } = readFlags(usage, {
  options: { key: { type: 'string' }, unsigned: { type: 'boolean', default: false } },
});

/** What signs, or undefined where the release is not to be signed. */
function signer(): Signer | undefined {
  if (values.unsigned) return undefined;
  const pem = values.key === undefined ? process.env['ORDINAL_RELEASE_KEY'] : readFileSync(values.key, 'utf8');
  if (!pem) throw new Error('there is no key to sign with: give --key=FILE or ORDINAL_RELEASE_KEY, or --unsigned');
  return signerOf(pem, process.env['ORDINAL_RELEASE_KEY_PASSPHRASE']);
}

const git = (...words: readonly string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();

/** The commit that the sources are at. A provenance that names one has to be true of all that was built. */
function commit(): string {
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Error(`a release is made of a commit; these files are not in it:\n${changed}`);
  return git('rev-parse', 'HEAD');
}

async function main(): Promise<void> {
  const signs = signer();
  const made = commit();
  const startedOn = new Date().toISOString();
  const folder = join(root, 'dist', 'release');
  await makeArtifacts(root, folder);
  // What is generated and not in the commit would be in the release.
  commit();
  seal(folder, {
    origin: {
      version: manifestOf(root).version,
      commit: made,
      lockSha256: createHash('sha256')
        .update(readFileSync(join(root, 'package-lock.json')))
        .digest('hex'),
      builtWith: `${process.version} ${process.platform}-${process.arch}`,
      startedOn,
      finishedOn: new Date().toISOString(),
    },
    ...(signs ? { signer: signs } : {}),
  });
  console.log(`${folder}: ${signs ? `signed by the key ${signs.hint}` : 'not signed'}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
