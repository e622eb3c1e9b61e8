import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { CommandError, exitCodes } from '../failure.ts';

const program = 'kubectl-ordinal.mjs';
const gzipMagic = [0x1f, 0x8b];

/** What each program of this plugin has in it, and the operator's has not: the name under which it gives help. */
const mark = 'kubectl ordinal --help';

/**
 * The plugin's program in a file: the file itself, or `kubectl-ordinal.mjs` in an npm package (`.tgz`). Pure.
 *
 * @throws CommandError where it is not there.
 */
export async function programIn(file: Uint8Array, name: string): Promise<Uint8Array> {
  const isPackage = gzipMagic.every((byte, at) => file[at] === byte);
  const found = isPackage ? await entryIn(gunzipSync(file)) : file;
  if (found && Buffer.from(found).includes(mark)) return found;
  throw new CommandError(
    `${name} is no version of this plugin: give its ${program}, or its npm package; each decides as the operator of its version does`,
    exitCodes.usage,
  );
}

async function entryIn(archive: Uint8Array): Promise<Uint8Array | undefined> {
  for await (const entry of Readable.from([archive]).pipe(extract())) {
    const content = await buffer(entry);
    if (entry.header.name.endsWith(`/${program}`)) return content;
  }
  return undefined;
}
