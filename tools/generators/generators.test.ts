import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Copy } from './copy.ts';
import generateKind from './kind/generator.js';
import generateProvider from './provider/generator.js';

/** One copy for all: a newcomer generates a kind and a provider, and runs the checks. */
let copy: Copy;

beforeAll(() => {
  copy = new Copy();
  generateKind(copy, { name: 'MessageQueue', group: 'queues.example.com' });
  generateProvider(copy, { name: 'acme' });
  copy.run('prettier', '--write', ...copy.written);
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
    copy.run('eslint', '--max-warnings', '0', ...copy.written.filter((path) => path.endsWith('.ts')));
  });

  test('passes the contract of kinds, and the checks of pages', () => {
    copy.run('vitest', 'run', '--config', 'tools/workspace/vitest.config.ts', 'kind-contract', 'docs.test');
  });

  test('passes its own tests: those of the decision, and the conformance suite', () => {
    copy.run('vitest', 'run', '--root', 'libs/reconcilers', 'message-queue');
    copy.run('vitest', 'run', '--root', 'apps/operator', 'providers/acme');
  });
});

describe('a generator', () => {
  test('writes over nothing', () => {
    expect(() => generateKind(copy, { name: 'MessageQueue', group: 'queues.example.com' })).toThrow('is there already');
    expect(() => generateProvider(copy, { name: 'acme' })).toThrow('is there already');
  });

  test('takes names that a manifest can have, and no others', () => {
    expect(() => generateKind(copy, { name: 'message-queue' })).toThrow('is no name of a kind');
    expect(() => generateProvider(copy, { name: 'Acme Cloud' })).toThrow('is no name of a provider');
  });
});
