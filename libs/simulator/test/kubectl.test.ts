import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtDirectory } from '@ordinal/control-plane';
import { SimulatedCluster, kubeconfigOf, listen } from '../src/index.ts';
import type { Listening } from '../src/index.ts';

// The real kubectl at the simulated cluster: what it shows is what a person sees.

const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', builtDirectory(process.env)];
const program = folders.map((folder) => join(folder, 'kubectl')).find((path) => existsSync(path));

describe.skipIf(program === undefined)('kubectl (npm run cluster build makes it)', () => {
  let cluster: SimulatedCluster;
  let listening: Listening;
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-'));
  const kubeconfig = join(directory, 'kubeconfig');

  beforeAll(async () => {
    cluster = await SimulatedCluster.start({ nodes: 1, pace: 1 });
    void cluster.keepRunning();
    listening = await listen(cluster);
    writeFileSync(kubeconfig, kubeconfigOf({ server: listening.url }));
    await kubectl('run', 'zebra', '--image=nginx');
    await untilEvents('Started');
    // Creation times have no fractions.
    await pause(1_100);
    await kubectl('run', 'ant', '--image=nginx');
    await untilEvents('pod/ant');
  });

  afterAll(async () => {
    cluster.stop();
    await listening.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function kubectl(...words: readonly string[]): Promise<string> {
    const parameters = ['--kubeconfig', kubeconfig, '--cache-dir', directory, ...words];
    const { stdout } = await promisify(execFile)(program ?? 'kubectl', parameters, { timeout: 30_000 });
    return stdout;
  }

  async function untilEvents(text: string): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if ((await kubectl('get', 'events')).includes(text)) return;
      await pause(200);
    }
    throw new Error(`no event says ${text}`);
  }

  const firstWords = (table: string): string[] => table.split('\n').map((line) => line.split(/\s+/)[0] ?? '');

  test.each([
    ['.metadata.creationTimestamp', ['NAME', 'zebra', 'ant', '']],
    ['.metadata.name', ['NAME', 'ant', 'zebra', '']],
  ])('sorts pods by %s, with all their columns', { timeout: 30_000 }, async (path, names) => {
    const table = await kubectl('get', 'pods', `--sort-by=${path}`);
    expect(firstWords(table)).toEqual(names);
    expect(table).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\n/);
    expect(table).not.toContain('<unknown>');
  });

  test.each(['events', 'events.v1.events.k8s.io'])(
    '%s name their object, their message, and when they were last seen',
    { timeout: 30_000 },
    async (kind) => {
      const table = await kubectl('get', kind);
      expect(table).toMatch(/\d+s +Normal +Scheduled +pod\/ant +Successfully assigned default\/ant to node-1\n/);
      expect(table).not.toMatch(/undefined|<unknown>/);
    },
  );
});
