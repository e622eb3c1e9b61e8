import { spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtDirectory } from '@ordinal/control-plane';
import { describe, expect, test } from 'vitest';
import { clusterVersions } from './cluster-versions.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The rows of the page's table: the release that is built, and the figures of Kubernetes' own tests. */
const rows = [...textOf('docs/reference/versions.md').matchAll(/^\| (1\.\d+) +\|(.*)\|$/gm)].map(
  ([, minor = '', cells = '']) => {
    const [release = '', ...others] = cells.split('|').map((cell) => cell.trim());
    return { minor, release, suite: others.at(-1) ?? '' };
  },
);

const binOf = (CLUSTER_KUBERNETES: string): SpawnSyncReturns<string> =>
  spawnSync('bash', [join(root, 'tools/cluster/cluster'), 'bin'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/home/me', CLUSTER_KUBERNETES },
  });

test('each version that is built has a row with its release, and no other says that it is', () => {
  expect(
    rows.filter(({ release }) => release !== 'not built').map(({ minor, release }) => ({ minor, release })),
  ).toEqual(clusterVersions.map(({ minor, release }) => ({ minor, release })));
});

describe.each(clusterVersions)('$minor', ({ minor, folder }) => {
  test('has components where the cluster and the control plane look for them', () => {
    const expected = `/home/me/.cache/${folder}/bin`;
    expect(binOf(minor).stdout.trim()).toBe(expected);
    expect(builtDirectory({ HOME: '/home/me', CLUSTER_KUBERNETES: minor })).toBe(expected);
  });
});

test.each(['1.33', ...rows.filter(({ release }) => release === 'not built').map(({ minor }) => minor)])(
  '%s is refused, with the versions that are built',
  (minor) => {
    const { status, stderr } = binOf(minor);
    expect(status).toBe(1);
    for (const { minor: known } of clusterVersions) expect(stderr).toContain(known);
  },
);

test.each(rows)("$minor has the figures of the last run of Kubernetes' own tests", ({ minor, suite }) => {
  const results = `verification/conformance/results${minor === '1.36' ? '' : `-${minor}`}.txt`;
  if (!existsSync(join(root, results))) {
    expect(suite).toBe('not run');
    return;
  }
  const count = (pattern: RegExp): number => textOf(results).match(pattern)?.length ?? 0;
  expect(suite).toContain(`${count(/^passed: /gm)} of ${count(/^(?:passed|failed|not applicable): /gm)}`);
});
