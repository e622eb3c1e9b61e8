// `npm run image`: the operator's OCI archive, made without Docker.
//
//   --version=V   the image's tag and what the program says of itself, instead of the package's version
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildOperatorImage, imageName, operatorVersion } from './operator-image.ts';
import { readFlags } from '../../flags/flags.ts';

const { values } = readFlags('npm run image [-- --version=V]', {
  options: { version: { type: 'string', default: operatorVersion() } },
});
const { version } = values;
if (!/^[\w][\w.-]{0,127}$/.test(version))
  throw new Error(`--version becomes an image's tag, which ${version} can't be`);

console.log('bundling the operator and packing the layers …');
const folder = mkdtempSync(join(tmpdir(), 'ordinal-image-'));
try {
  const archive = await buildOperatorImage(folder, version);
  const out = join(import.meta.dirname, '..', '..', '..', 'dist', `ordinal-operator-${version}.tar`);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, archive);
  console.log(`${out}: ${imageName(version)}, ${(archive.length / 1e6).toFixed(1)} MB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
