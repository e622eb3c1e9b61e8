import { expect, test } from 'vitest';
import { runInGroup } from './process-group.ts';

const options = { cwd: '.', env: process.env, cpuSeconds: 1 };
const node = (program: string): readonly [string, ...string[]] => [process.execPath, '-e', program];

test('a command tells how it ended, and what it said', async () => {
  const program = 'console.log("one"); console.error("two"); process.exitCode = 3';
  const { code, output } = await runInGroup(node(program), { ...options, cpuSeconds: 60 });
  expect({ code, lines: output.trim().split('\n').sort() }).toEqual({ code: 3, lines: ['one', 'two'] });
});

test('a command that takes too long is ended with all that it started', async () => {
  const spin = 'console.log("spins"); for (;;);';
  const start = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(spin)}], { stdio: 'inherit' })`;
  // It ends only when no process holds the pipe any more.
  expect(await runInGroup(node(start), options)).toEqual({ code: undefined, output: 'spins\n' });
});
