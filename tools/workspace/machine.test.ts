import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { machineOf } from './machine.ts';

let home = '';
const put = (path: string, text = ''): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
};
let now = 0;
const machine = (environment: Record<string, string> = {}): string => machineOf({ environment, home, now: (now += 1) });

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'machine-'));
  put('.cache/ordinal-moto/bin/moto_server');
  put('.cache/ordinal-promtool/usr/bin/promtool');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('what a test result depends on', () => {
  test('is the same as long as nothing changes', () => {
    expect(machine()).toBe(machine());
  });

  test('is another when the components of Kubernetes have been built, and when they are others', () => {
    const before = machine();
    put('.cache/ordinal-cluster/bin/kube-apiserver', 'one');
    const built = machine();
    put('.cache/ordinal-cluster/bin/kube-apiserver', 'another');
    expect(new Set([before, built, machine(), machine({ CLUSTER_HOME: join(home, 'elsewhere') })]).size).toBe(3);
    const others = machine();
    put('.cache/ordinal-cluster-1.37/bin/kube-apiserver', 'one');
    expect(machine()).not.toBe(others);
    expect(machine({ CLUSTER_HOME: join(home, 'elsewhere') })).toBe(before);
  });

  test('is another when a test is asked for more', () => {
    expect(machine({ ORDINAL_REAL_HISTORIES: '1' })).not.toBe(machine());
  });

  test.each([
    ['moto is still to be fetched', (): void => rmSync(join(home, '.cache/ordinal-moto'), { recursive: true })],
    ['promtool is still to be fetched', (): void => rmSync(join(home, '.cache/ordinal-promtool'), { recursive: true })],
  ])('is never the same while %s: the next run may not skip', (_, change) => {
    change();
    expect(machine()).not.toBe(machine());
  });

  test('is never the same with a cluster of the user', () => {
    const environment = { KUBECONFIG: '/home/me/.kube/config' };
    expect(machine(environment)).not.toBe(machine(environment));
  });
});
