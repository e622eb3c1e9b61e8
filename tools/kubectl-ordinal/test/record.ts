// Makes the kept recordings anew: node --conditions=ordinal-source tools/kubectl-ordinal/test/record.ts [NAME…]
// After a change of decisions that is wanted, and for each release.
import { mkdir, writeFile } from 'node:fs/promises';
import { recordingOf, scenarios } from './recorded-scenarios.ts';

const folder = new URL('recordings/', import.meta.url);
const names = process.argv.slice(2);
await mkdir(folder, { recursive: true });
for (const [name, play] of Object.entries(scenarios)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const file = await recordingOf(play);
  await writeFile(new URL(`${name}.rec.zst`, folder), file);
  console.log(`${name}: ${file.length} bytes`);
}
