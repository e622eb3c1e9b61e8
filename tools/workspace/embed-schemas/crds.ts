import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedSchemas, MarkerError } from './marker.ts';
import type { PublishedSchemas } from './published.ts';
import { embedFragments } from './shared.ts';
import type { Fragments } from './shared.ts';

const api = join(import.meta.dirname, '../../../libs/api');
const crds = join(api, 'crds');
const fragments = join(api, 'fragments');

/** Where the published schemas of the built-in types are kept. */
export const storedSchemas = join(import.meta.dirname, 'kubernetes.json');

const yamlIn = (folder: string): readonly string[] => readdirSync(folder).filter((file) => file.endsWith('.yaml'));

const readFragments = (): Fragments =>
  new Map(
    yamlIn(fragments).map((file) => [file.replace('.yaml', ''), readFileSync(join(fragments, file), 'utf8')] as const),
  );

/**
 * Writes into our CRDs what they take from elsewhere: the fields that kinds share, and the schemas of built-in types. Returns the files that differed; with `check` they stay as they are.
 *
 * @throws Error with file and line for a marker that can't be followed.
 */
export function embedInCrds({ check }: { readonly check: boolean }): readonly string[] {
  const published = JSON.parse(readFileSync(storedSchemas, 'utf8')) as PublishedSchemas; // As it was stored.
  const shared = readFragments();
  return yamlIn(crds).filter((file) => {
    const path = join(crds, file);
    const before = readFileSync(path, 'utf8');
    const after = named(file, () => embedSchemas(embedFragments(before, shared), published));
    if (!check && after !== before) writeFileSync(path, after);
    return after !== before;
  });
}

/** The result, or the error with the name of its file. */
function named(file: string, embed: () => string): string {
  try {
    return embed();
  } catch (error) {
    if (error instanceof MarkerError)
      throw new Error(`libs/api/crds/${file}:${error.line}: ${error.message}`, { cause: error });
    throw error;
  }
}
