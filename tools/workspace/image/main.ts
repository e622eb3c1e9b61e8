// `npm run image`: the operator's OCI archive, made without Docker.
//
//   --version=V          the image's tag and what the program says of itself, instead of the package's version
//   --processors=A,B     one image for each of amd64 and arm64 that is named, of Node from npm and Debian's libraries. Otherwise it is for this machine, and of what it has
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildOperatorImage, imageName, operatorVersion } from './operator-image.ts';
import { isProcessor } from './processors.ts';
import { readFlags } from '../../flags/flags.ts';

const { values } = readFlags('npm run image [-- --version=V] [-- --processors=amd64,arm64]', {
  options: { version: { type: 'string', default: operatorVersion() }, processors: { type: 'string' } },
});
const { version } = values;
if (!/^[\w][\w.-]{0,127}$/.test(version))
  throw new Error(`--version becomes an image's tag, which ${version} can't be`);
const processors = values.processors?.split(',').map((name) => {
  if (!isProcessor(name)) throw new Error(`--processors: ${name} is none of amd64 and arm64`);
  return name;
});

console.log('bundling the operator and packing the layers …');
const folder = mkdtempSync(join(tmpdir(), 'ordinal-image-'));
try {
  const archive = await buildOperatorImage(folder, { version, ...(processors ? { processors } : {}) });
  const out = join(import.meta.dirname, '..', '..', '..', 'dist', `ordinal-operator-${version}.tar`);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, archive);
  console.log(`${out}: ${imageName(version)}, ${(archive.length / 1e6).toFixed(1)} MB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
