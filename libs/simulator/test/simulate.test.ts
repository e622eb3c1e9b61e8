import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

// Each test starts a process, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const program = join(import.meta.dirname, '../bin/ordinal-simulate.js');
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'simulate-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the program to its end; `heard` sees its output as it comes, and may end it. */
function ran(
  flags: readonly string[],
  heard: (output: string, end: () => void) => void = () => undefined,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...flags], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const hear = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
      heard(output, () => child.kill('SIGTERM'));
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

it('serves a cluster, writes a kubeconfig for it, and ends at SIGTERM', async () => {
  let versions: Promise<string> | undefined;
  const { code } = await ran([], (output, end) => {
    const url = /listening on (\S+);/.exec(output)?.[1];
    if (url === undefined || versions !== undefined) return;
    versions = fetch(`${url}/version`).then((reply) => reply.text());
    void versions.then(end, end);
  });
  expect(code).toBe(0);
  expect(await versions).toContain('ordinal-simulated');
  expect(readFileSync(join(directory, 'simulated.kubeconfig'), 'utf8')).toContain('http://127.0.0.1:');
});

it.each([
  [['--port', 'abc'], "--port takes a number, not 'abc'"],
  [['--crds', 'none'], 'no such file or directory'],
  [['--replicas', '3'], "Unknown option '--replicas'; there are --crds, --port, "],
  [['--nodes'], "Option '--nodes <value>' argument missing; there are --crds, --port, "],
])('says in one line what is wrong with %j', async (flags, problem) => {
  const { code, output } = await ran(flags);
  expect(code).toBe(1);
  expect(output).toContain(problem);
  expect(output.trim().split('\n')).toHaveLength(1);
});
