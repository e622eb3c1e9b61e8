import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const module = new URL('./on-task.ts', import.meta.url).href;

/** A process that answers each task with a word, but for `never`, which it waits in. */
const program = `
  import { onTask } from '${module}';
  onTask(async (task) => {
    await (task === 'never' ? new Promise(() => {}) : new Promise((done) => setTimeout(done, 50)));
    process.send('done ' + task);
  });`;

test('a process goes on after each task, and ends in one that waits for what never comes', async () => {
  const args = ['--experimental-strip-types', '--no-warnings', '--input-type=module', '--eval', program];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  for (const task of ['one', 'two']) {
    worker.send(task);
    expect(await once(worker, 'message')).toEqual([`done ${task}`, undefined]);
  }
  worker.send('never');
  expect(await once(worker, 'exit')).toEqual([0, null]);
});
