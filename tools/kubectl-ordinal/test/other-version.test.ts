import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'esbuild';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bundlePlugin } from '../bundle-plugin.ts';
import { runProgram } from '../src/other-version/run-program.ts';
import { version } from '../src/version.ts';
import type { World } from '../src/world.ts';
import { folderOf } from './kept-recordings.ts';
import { pluginWorld } from './plugin-world.ts';
import { recordingKey } from './recorded-scenarios.ts';
import { cacheNow, changeCache, readyCache, until } from './resources.ts';

// Two programs are bundled first.
vi.setConfig({ hookTimeout: 300_000, testTimeout: 300_000 });

const folder = mkdtempSync(join(tmpdir(), 'other-version-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [same, changed, packed] = ['same.mjs', 'changed.mjs', 'changed.tgz'].map((name) => join(folder, name));

/** A change in how the operator decides: the lowest member goes first. The program says that it is another version. */
const planted: Plugin = {
  name: 'planted change',
  setup: ({ onLoad }) => {
    onLoad({ filter: /lifecycle\/src\/rollout\/next\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replace('b.ordinal - a.ordinal', 'a.ordinal - b.ordinal');
      expect(contents).not.toBe(text);
      return { contents, loader: 'ts' };
    });
    onLoad({ filter: /kubectl-ordinal\/package\.json$/ }, () => ({ contents: '{"version":"9.9.9"}', loader: 'json' }));
  },
};

beforeAll(async () => {
  await bundlePlugin(same ?? '');
  await bundlePlugin(changed ?? '', [planted]);
  const archive = pack();
  archive.entry({ name: 'package/package.json' }, '{}');
  archive.entry({ name: 'package/dist/kubectl-ordinal.mjs' }, readFileSync(changed ?? ''));
  archive.finalize();
  writeFileSync(packed ?? '', gzipSync(await buffer(archive)));
});

/** A world in which a cache's upgrade waits at the gate of its highest member, and in which files are read and programs run in truth. */
async function upgrading() {
  const world = await pluginWorld();
  onTestFinished(() => world.stop());
  const { cluster } = world;
  await readyCache(cluster, { image: 'cache:stubborn' });
  await changeCache(cluster, { image: 'cache:2' });
  await until(cluster, 'the gate is closed', () => cacheNow(cluster)?.status?.upgrade?.blockedBy !== undefined);
  world.operator.crash();
  const { signal } = new AbortController();
  const machine: Partial<World> = {
    readBytes: (path) => readFile(path),
    runProgram: (program, args, input) => runProgram(program, args, { node: process.execPath, input, signal }),
  };
  const run = (line: string, more: Partial<World> = {}) => world.run(line, { ...machine, ...more });
  return { ...world, run, flags: `--kubeconfig ${world.kubeconfig}` };
}

test('the plan of the same decisions is the same; a planted change is found, and what would be done then', async () => {
  const { run, flags, requests } = await upgrading();
  const alike = await run(`plan ccache/sessions ${flags} --operator-bundle ${same}`);
  expect(alike).toMatchObject({ exitCode: 0, err: '' });
  expect(alike.out).toMatch(/version \S+ would do the same\n$/);

  const other = await run(`plan ccache/sessions ${flags} --operator-bundle ${packed}`);
  expect(other).toMatchObject({ exitCode: 4, err: '' });
  expect(other.out).toMatch(/Version 9\.9\.9 decides otherwise, first in \S+: /);
  expect(other.out.split('Version 9.9.9')[1]).toMatch(/1\. write the status: .*"pod":"sessions-0"/);
  expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
});

test('manifests are planned for by both, as data', async () => {
  const { run, flags, cluster } = await upgrading();
  const manifest = {
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: { name: 'fresh', namespace: 'shop' },
    spec: { replicas: 1, image: 'cache:1' },
  };
  const at = new Date(cluster.clock.now() + 3_600_000).toISOString();
  const { exitCode, out } = await run(`plan -f - ${flags} --operator-bundle ${changed} --at ${at} -o json`, {
    readFile: () => Promise.resolve(JSON.stringify(manifest)),
  });
  const plans = JSON.parse(out) as readonly { readonly name: string; readonly other: object }[];
  expect({ exitCode, names: plans.map(({ name }) => name) }).toEqual({ exitCode: 0, names: ['fresh'] });
  expect(plans[0]?.other).toMatchObject({ version: '9.9.9', plan: { name: 'fresh' } });
  expect(plans[0]?.other).not.toHaveProperty('difference');
});

test('a recording is decided again by another version: a planted change is found, with where and what', async () => {
  const { run } = await upgrading();
  const recording = fileURLToPath(new URL('cache-upgrade-and-rollback.rec.zst', folderOf(version)));
  const key = join(folder, 'key');
  writeFileSync(key, recordingKey.export());
  const alike = await run(`replay ${recording} --key ${key} --against ${same}`);
  expect(alike).toMatchObject({ exitCode: 0, err: '' });
  expect(alike.out).toContain(' 0 otherwise.');

  const other = await run(`replay ${recording} --key ${key} --against ${changed}`);
  expect(other).toMatchObject({ exitCode: 4, err: '' });
  expect(other.out).toContain('decided by version 9.9.9');
  expect(other.out).toMatch(
    /The first is clustered-cache shop\/sessions at \S+, in decisions\.0\.\S+:\n {2}recorded .*2/,
  );
});

test('what is no version of the plugin is refused, and what one says that fails is said', async () => {
  const { run, flags } = await upgrading();
  const file = join(folder, 'operator.mjs');
  writeFileSync(file, 'console.log("1.0.0")');
  const refused = await run(`plan ccache/sessions ${flags} --operator-bundle ${file}`);
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.err).toContain('operator.mjs is no version of this plugin: give its kubectl-ordinal.mjs');
  const failed = await run(`replay ${file} --against ${same}`);
  expect(failed).toMatchObject({ exitCode: 1 });
  expect(failed.err).toContain('this is no recording of the operator');
  const noTime = await run(`plan ccache/sessions ${flags} --at soon`);
  expect(noTime).toMatchObject({ exitCode: 2, err: expect.stringContaining('--at soon: that is no time') });
});
