import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Copy } from './copy.ts';
import generateKind from './kind/generator.js';
import generateProvider from './provider/generator.js';
import type { Files } from './templates.js';

/** The commands of CONTRIBUTING and of the guide for providers. */
const commands = ['nx g kind MessageQueue --group queues.example.com', 'nx g provider acme'];

/** One copy for all: a newcomer generates a kind and a provider by the commands of the pages, and runs the checks. */
let copy: Copy;
let written: readonly string[];

beforeAll(() => {
  copy = new Copy();
  const printed = commands.map((command) => copy.run('nx', ...command.split(' ').slice(1))).join('\n');
  written = [...stripVTControlCharacters(printed).matchAll(/^(?:CREATE|UPDATE) (\S+)$/gm)].map(([, path = '']) => path);
  copy.run('prettier', '--write', ...written);
  copy.run('node', '--conditions=ordinal-source', 'tools/workspace/codegen.ts');
});

afterAll(() => {
  copy.remove();
});

describe('what the generators write', () => {
  test('compiles, with all that imports it', () => {
    for (const folder of ['libs/reconcilers', 'libs/constructs', 'apps/operator'])
      copy.run('tsc', '--noEmit', '-p', folder);
  });

  test('has nothing that lint refuses', () => {
    copy.run('eslint', '--max-warnings', '0', ...written.filter((path) => path.endsWith('.ts')));
  });

  test('passes the contract of kinds, and the checks of pages', () => {
    copy.run('vitest', 'run', '--config', 'tools/workspace/vitest.config.ts', 'kind-contract', 'docs.test');
  });

  test('passes its own tests: those of the decision, and the conformance suite', () => {
    copy.run('vitest', 'run', '--root', 'libs/reconcilers', 'message-queue');
    copy.run('vitest', 'run', '--root', 'apps/operator', 'providers/acme');
  });
});

test.each(commands)('the pages name the command: npx %s', (command) => {
  const pages = ['CONTRIBUTING.md', 'docs/guides/add-a-provider.md'];
  const texts = pages.map((page) => readFileSync(join(import.meta.dirname, '../..', page), 'utf8'));
  expect(texts.join('\n')).toContain(`npx ${command}`);
});

describe('a generator', () => {
  const full: Files = { exists: () => true, read: () => '', write: () => undefined };

  test('writes over nothing', () => {
    expect(() => generateKind(full, { name: 'MessageQueue', group: 'queues.example.com' })).toThrow('is there already');
    expect(() => generateProvider(full, { name: 'acme' })).toThrow('is there already');
  });

  test('takes names that a manifest can have, and no others', () => {
    expect(() => generateKind(full, { name: 'message-queue' })).toThrow('is no name of a kind');
    expect(() => generateProvider(full, { name: 'Acme Cloud' })).toThrow('is no name of a provider');
  });
});
