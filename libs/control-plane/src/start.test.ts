import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { builtDirectory, isExecutable } from './locate.ts';
import { startControlPlane } from './start.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'start-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A program of the test. */
function program(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

/** An environment with Go, so that there could be a build, and nothing that was built. */
function withGo(): { readonly CLUSTER_HOME: string; readonly HOME: string; readonly PATH: string } {
  program('go', 'exit 0');
  return { CLUSTER_HOME: join(directory, 'home'), HOME: directory, PATH: `${directory}:/usr/bin:/bin` };
}

test('says what failed where the build does', async () => {
  const build = { program: program('build', 'exit 7') };
  await expect(startControlPlane({ environment: withGo(), build })).rejects.toThrow(/build ended with exit code 7/);
});

test('builds nothing without a build command', async () => {
  const started = await startControlPlane({ environment: withGo() });
  expect('skipped' in started && started.skipped).toContain('they can be built with Go');
});

const built = builtDirectory(process.env);
const hasBuilt = isExecutable(join(built, 'kube-apiserver')) && isExecutable(join(built, 'etcd'));

// The components come from an earlier build here: compiling them takes minutes. Skipped where there was none.
test.skipIf(!hasBuilt)('starts what the build has made, and says that it was built', { timeout: 120_000 }, async () => {
  const text = `[ "$1" = build ] && mkdir -p "$CLUSTER_HOME/bin" && ln -s ${built}/etcd ${built}/kube-apiserver "$CLUSTER_HOME/bin/"`;
  const started = await startControlPlane({ environment: withGo(), build: { program: program('build', text) } });
  if ('skipped' in started) throw new Error(started.skipped);
  try {
    expect(started).toMatchObject({ source: 'build with Go', hasControllers: false });
  } finally {
    await started.stop();
  }
});
