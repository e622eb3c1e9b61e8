import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { imageModules } from './image-modules.ts';

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ordinal-images-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);

test('each module of a directory gives programs to images', async () => {
  write('a.mjs', "export const images = { 'app:1': { startsIn: 5 } };");
  write('b.ts', "export const images: Record<string, object> = { 'app:2': { stopsIn: 'never' } };");
  write('types.d.ts', 'export {};');
  write('notes.txt', 'no module');
  expect([...(await imageModules(folder))]).toEqual([
    ['app:1', { startsIn: 5 }],
    ['app:2', { stopsIn: 'never' }],
  ]);
});

test.each([
  ['export const image = {};', "exports no 'images'"],
  ["export const images = { 'app:1': 5 };", 'the program of app:1 is no object'],
])('a module that gives none is refused: %s', async (text, message) => {
  write('a.mjs', text);
  await expect(imageModules(folder)).rejects.toThrow(message);
});

test('two programs for one image are refused', async () => {
  write('a.mjs', "export const images = { 'app:1': {} };");
  write('b.mjs', "export const images = { 'app:1': {} };");
  await expect(imageModules(folder)).rejects.toThrow('b.mjs: app:1 has a program already');
});
