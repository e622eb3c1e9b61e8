import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { head } from '../table.ts';
import { parseCast } from './cast.ts';
import { drawingOf } from './picture.ts';
import { framesOf } from './terminal.ts';

const images = join(import.meta.dirname, '..', '..', '..', 'docs', 'images');
const cast = parseCast(readFileSync(join(images, 'demo.cast'), 'utf8'));
const frames = framesOf(cast).map(({ lines }) => lines.map((spans) => spans.map(({ text }) => text).join('')));

/** What the demo says it asserts, and its titles, as they stand in the sources of its scenes. */
function said(): readonly string[] {
  const scenes = join(import.meta.dirname, '..', 'scenes');
  const files = [...readdirSync(scenes).map((file) => join(scenes, file)), join(scenes, '..', 'demo.ts')];
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:assertions\.check|screen\.title)\(\s*'([^']+)'/g)].map(
      ([, text = '']) => text,
    ),
  );
}

describe('the recording in docs/images: `node tools/demo/record.ts` makes another', () => {
  test('is what the demo shows now: its scenes and what it asserts', () => {
    const shown = frames.flat().join('\n');
    const missing = said().filter((text) => text !== 'the demo comes to its end' && !shown.includes(text));
    expect(missing).toEqual([]);
    expect(shown).toMatch(/^\d+ passed, 0 failed$/m);
  });

  test('has the table, with members, a leader, a step and a gate', () => {
    const waiting = frames.find(
      (lines) => lines.includes(head) && lines.some((line) => line.includes('waits for gate')),
    );
    expect(waiting?.slice(waiting.indexOf(head) + 1).join('\n')).toMatch(
      / ClusteredCache +my-cache +1\.0\.0 1\.0\.0 1\.0\.0 +my-cache-\d +AwaitingGate my-cache-\d\n +waits for gate/,
    );
  });

  test('takes less than 30 seconds', () => {
    expect(cast.events.at(-1)?.seconds).toBeLessThan(30);
  });

  test('is what the drawing is made from', () => {
    expect(readFileSync(join(images, 'demo.svg'), 'utf8')).toBe(drawingOf(cast));
  });
});
