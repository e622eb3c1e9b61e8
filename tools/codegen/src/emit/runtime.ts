import { readFileSync } from 'node:fs';
import { bannerStart } from './banner.ts';
import type { GeneratedFile } from './options.ts';

/** What generated modules share, emitted once into the output folder so that they need no package of the generator's at run time. */
export type SharedModule = 'folded-json' | 'kubernetes-construct' | 'kubernetes-validator';

/** A shared module's file. Its source is a module of this package, with types and tests of its own. */
export function emitSharedModule(name: SharedModule, extension: string): GeneratedFile {
  const text = readFileSync(new URL(`../../src/runtime/${name}.ts`, import.meta.url), 'utf8');
  const source = text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, `$1${extension}'`);
  return { path: `${name}.ts`, text: `${bannerStart}. Do not edit.\n${source}` };
}
