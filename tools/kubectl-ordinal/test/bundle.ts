import { gunzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { PluginWorld, Ran } from './plugin-world.ts';

/** A support bundle: what the program said, and the files by their names. */
export interface Bundle extends Ran {
  readonly files: ReadonlyMap<string, string>;
}

/** Runs `report`, and unpacks what it writes. */
export async function bundleOf({ run }: PluginWorld, line: string): Promise<Bundle> {
  const written: Uint8Array[] = [];
  const ran = await run(line, { writeFile: (_, content) => Promise.resolve(void written.push(content)) });
  const files = new Map<string, string>();
  const reader = extract();
  Readable.from([gunzipSync(await buffer(Readable.from(written)))]).pipe(reader);
  for await (const entry of reader) files.set(entry.header.name, await text(entry));
  return { ...ran, files };
}

/** The files in which something stands that was planted, as it is or encoded. */
export const leaksIn = (files: Bundle['files']): readonly string[] =>
  [...files].flatMap(([name, content]) =>
    [...content.matchAll(/.*(?:planted-|cGxhbnRlZ).*/g)].map(([found]) => `${name}: ${found.trim()}`),
  );
