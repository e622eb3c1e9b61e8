import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ImageProgram } from '../node/program.ts';

/**
 * The programs that the modules of a directory export by the references of their images: `export const images = { 'app:1': { http: () => 200 } }`. TypeScript needs a
 * Node that reads it (22.18 or later).
 */
export async function imageModules(directory: string): Promise<ReadonlyMap<string, ImageProgram>> {
  const programs = new Map<string, ImageProgram>();
  for (const file of readdirSync(directory).sort()) {
    if (!/(?<!\.d)\.[cm]?[jt]s$/.test(file)) continue;
    const path = join(resolve(directory), file);
    const { images } = (await import(pathToFileURL(path).href)) as { readonly images?: unknown };
    if (!isTable(images)) throw new Error(`${path} exports no 'images': an object of programs by image`);
    for (const [reference, program] of Object.entries(images)) {
      if (!isTable(program)) throw new Error(`${path}: the program of ${reference} is no object`);
      if (programs.has(reference)) throw new Error(`${path}: ${reference} has a program already`);
      programs.set(reference, program);
    }
  }
  return programs;
}

const isTable = (value: unknown): value is Readonly<Record<string, object>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
