// The page as it is served: one script and one style sheet, made by a bundler.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;
const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    conditions: ['ordinal-source'],
    legalComments: 'none',
  });
  return outputFiles[0]?.text ?? '';
}

/** Builds the page's files, by the path at which each is served. */
export async function buildPage() {
  return {
    '/': { type: 'text/html; charset=utf-8', text: await read('index.html') },
    '/console.js': { type: 'text/javascript; charset=utf-8', text: await bundled('main.ts') },
    '/console.css': { type: 'text/css; charset=utf-8', text: await bundled('console.css') },
    '/icon.svg': { type: 'image/svg+xml', text: await read('icon.svg') },
  };
}
