import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const fixtures = join(import.meta.dirname, 'fixtures');
const root = join(import.meta.dirname, '..', '..');

/** Runs TypeDoc with the options of the reference on a module that has mistakes. */
function runOnPlanted(): Promise<{ readonly code: number; readonly said: string }> {
  const options = ['--options', join(fixtures, 'typedoc.js'), '--emit', 'none', '--treatWarningsAsErrors'];
  const program = join(root, 'node_modules', 'typedoc', 'bin', 'typedoc');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...options], { cwd: root }, (error, out, errors) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: out + errors });
    });
  });
}

// TypeDoc starts slowly on a machine that is busy.
const timeoutMs = 120_000;

test(
  'a missing docstring, a link that leads nowhere and a type that is not exported are refused',
  async () => {
    const { code, said } = await runOnPlanted();
    expect(code).not.toBe(0);
    expect(said).toMatch(/withoutWords.*does not have any documentation/);
    expect(said).toMatch(/Failed to resolve link to "Nowhere"/);
    expect(said).toMatch(/Hidden, defined in .*is referenced by/);
  },
  timeoutMs,
);
