import { expect, test } from 'vitest';
import { testPackages, testPrograms } from './test-programs.ts';

const all = Object.keys(testPrograms);
const bookworm = (name: string): boolean => !name.startsWith('valkey');

test('what is there is not installed', () => {
  expect(testPackages({ has: () => true, isRoot: true, offers: () => true })).toEqual({ install: [], skipped: [] });
});

test('root installs on Debian what its release has, and gets a line for the rest', () => {
  const has = (program: string): boolean => program === 'apt-get' || program === 'openssl';
  const { install, skipped } = testPackages({ has, isRoot: true, offers: bookworm });
  expect(install).toEqual([
    'redis-server',
    'redis-tools',
    'etcd-server',
    'etcd-client',
    'nats-server',
    'default-jre-headless',
    'libzookeeper-java',
    'postgresql',
    'shellcheck',
    'busybox-static',
    'chromium',
  ]);
  expect(skipped).toEqual(
    ['valkey-server', 'valkey-cli'].map(
      (program) => `there is no ${program}, and this release has no package of it: what needs it is skipped`,
    ),
  );
});

test.each([
  ['another user', true, false, 'only root can install its package'],
  ['another system', false, true, 'only on Debian is it installed here'],
])('%s installs nothing, and gets a line for each program', (_who, isDebian, isRoot, why) => {
  const has = (program: string): boolean => isDebian && program === 'apt-get';
  const { install, skipped } = testPackages({ has, isRoot, offers: () => true });
  expect(install).toEqual([]);
  expect(skipped).toEqual(all.map((program) => `there is no ${program}, and ${why}: what needs it is skipped`));
});
