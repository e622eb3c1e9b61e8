// Makes the recordings of this version: node --conditions=ordinal-source tools/kubectl-ordinal/test/record.ts [NAME…]
// After a change of decisions that is wanted, until the version is released. Those of a released version are not made again.
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { folderOf, recordedVersion } from './kept-recordings.ts';
import { recordingOf, scenarios } from './recorded-scenarios.ts';

const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
const folder = folderOf(recordedVersion(changelog));
const names = process.argv.slice(2);
await mkdir(folder, { recursive: true });
for (const [name, play] of Object.entries(scenarios)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const file = await recordingOf(play);
  await writeFile(new URL(`${name}.rec.zst`, folder), file);
  console.log(`${name}: ${file.length} bytes`);
}
