import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is put together: a program of one file, an ES module, and Node for the machine that it is to run on. */
export interface Parts {
  readonly program: string;
  readonly node: string;
}

/**
 * Makes one file that runs without Node: Node itself, with the program in it (a single executable application). It is for the machine that `node` is for, which need not be this one; `node` has
 * to be of the version that runs this.
 */
export function makeExecutable({ program, node }: Parts, output: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'ordinal-executable-'));
  try {
    const configuration = join(scratch, 'sea.json');
    const text = {
      ...{ main: program, mainFormat: 'module', executable: node, output, disableExperimentalSEAWarning: true },
      // Both would be of this machine's processor.
      ...{ useSnapshot: false, useCodeCache: false },
    };
    writeFileSync(configuration, JSON.stringify(text));
    execFileSync(process.execPath, ['--build-sea', configuration], { stdio: ['ignore', 'ignore', 'inherit'] });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
