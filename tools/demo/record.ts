// Records the demo and draws it: `node tools/demo/record.ts` writes docs/images/demo.cast (asciicast v2, what a terminal was sent and when) and docs/images/demo.svg,
// which plays it. The terminal is a real one, made by `script` of util-linux. `--draw` only draws the recording that is there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { castText, parseCast, type Cast, type CastEvent } from './recording/cast.ts';
import { drawingOf } from './recording/picture.ts';
import { readFlags } from '../flags/flags.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');
const castFile = join(folder, 'demo.cast');
const size = { columns: 110, rows: 30 } as const;

async function record(): Promise<Cast> {
  const command = `stty cols ${size.columns} rows ${size.rows} && exec npm run -s demo`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  const began = performance.now();
  const events: CastEvent[] = [];
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => events.push({ seconds: (performance.now() - began) / 1000, text }));
  const [code] = (await once(child, 'close')) as [number | null]; // What the event has, by Node's documentation.
  if (code !== 0) throw new Error(`the demo ended with ${code}`);
  return { ...size, events };
}

const { values } = readFlags('node tools/demo/record.ts [--draw]', {
  options: { draw: { type: 'boolean', default: false } },
});
mkdirSync(folder, { recursive: true });
if (!values.draw) writeFileSync(castFile, castText(await record(), 'npm run demo'));
writeFileSync(join(folder, 'demo.svg'), drawingOf(parseCast(readFileSync(castFile, 'utf8'))));
