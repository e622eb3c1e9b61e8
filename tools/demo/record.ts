// Records the demo and draws it: `node tools/demo/record.ts` writes docs/images/demo.cast (asciicast v2, as it was printed and when) and docs/images/demo.svg,
// in which each line appears when it did. `--draw` only draws the recording that is there.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseCast, type Cast } from './recording/cast.ts';
import { drawing } from './recording/drawing.ts';
import { readFlags } from '../flags/flags.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');
const castFile = join(folder, 'demo.cast');

async function record(): Promise<Cast> {
  const child = spawn('npm', ['run', '-s', 'demo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FORCE_COLOR: '1' },
  });
  const began = performance.now();
  const lines: { seconds: number; text: string }[] = [];
  for await (const text of createInterface({ input: child.stdout }))
    lines.push({ seconds: (performance.now() - began) / 1000, text });
  if (child.exitCode !== 0 && child.exitCode !== null) throw new Error(`the demo ended with ${child.exitCode}`);
  return { lines };
}

const { values } = readFlags('node tools/demo/record.ts [--draw]', {
  options: { draw: { type: 'boolean', default: false } },
});
mkdirSync(folder, { recursive: true });
if (!values.draw) {
  const { lines } = await record();
  const header = { version: 2, width: 150, height: lines.length, title: 'npm run demo' };
  const events = lines.map(({ seconds, text }) => [Number(seconds.toFixed(3)), 'o', `${text}\r\n`]);
  writeFileSync(castFile, `${[header, ...events].map((entry) => JSON.stringify(entry)).join('\n')}\n`);
}
// From the upgrade on, which is what the demo is about, to its last assertion.
const { lines } = parseCast(readFileSync(castFile, 'utf8'));
const from = lines.findIndex(({ text }) => text.includes('An upgrade that waits'));
const to = lines.findIndex(({ text }) => text.includes('What to try next'));
writeFileSync(join(folder, 'demo.svg'), drawing({ lines: lines.slice(Math.max(from, 0), to < 0 ? undefined : to) }));
