import { readFile } from 'node:fs/promises';
import type { PluginWorld } from './plugin-world.ts';
import { pluginWorld } from './plugin-world.ts';
import { changeStore, readyCache, readyStore, storeNow, until } from './resources.ts';
import { statefulSets } from '@ordinal/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../src/command-line.ts';
import { run as runLine } from '../src/cli.ts';
import { systemClock } from '@ordinal/client';

let world: PluginWorld;
let typed: (...words: readonly string[]) => Promise<{ readonly words: readonly string[]; readonly directive: string }>;

beforeAll(async () => {
  world = await pluginWorld();
  const { cluster, kubeconfig } = world;
  await readyCache(cluster);
  await readyStore(cluster, { replicas: 1 });
  cluster.image('backups:1', { run: () => 0 });
  await changeStore(cluster, { backup: { job: { image: 'backups:1', command: ['backup'] } } });
  expect((await world.run('backup kvs/carts --name first --yes')).exitCode).toBe(0);
  await until(cluster, 'a backup', () => storeNow(cluster)?.status?.backups?.[0]?.result === 'Succeeded');
  const labels = { app: 'old' };
  await cluster
    .client()(statefulSets)
    .namespace('shop')
    .create({
      ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'old' } },
      spec: {
        ...{ replicas: 0, serviceName: 'old', selector: { matchLabels: labels } },
        template: { metadata: { labels }, spec: { containers: [{ name: 'old', image: 'cache:1' }] } },
      },
    });
  typed = async (...words) => {
    let out = '';
    const refused = () => Promise.reject(new Error('not in this test'));
    await runLine(['__complete', ...words], {
      ...{ environment: { KUBECONFIG: kubeconfig }, clock: systemClock, interrupted: new AbortController().signal },
      ...{ isTerminal: false, hasColors: false, columns: 120, rows: 40 },
      ...{ out: (text: string) => void (out += text), err: () => undefined, confirm: () => Promise.resolve(undefined) },
      ...{
        readFile: (path: string) => readFile(path, 'utf8'),
        readBytes: refused,
        writeFile: refused,
        runProgram: refused,
      },
    });
    const lines = out.trimEnd().split('\n');
    return { words: lines.slice(0, -1), directive: lines.at(-1) ?? '' };
  };
});

afterAll(() => world.stop());

const kinds = ['ccache/', 'kvs/', 'mss/', 'cdb/'];

describe('what may be typed next', () => {
  test.each([
    ['a command', ['prom'], ['promote'], ':4'],
    ['a flag', ['status', '--wat'], ['--watch'], ':4'],
    ['a kind', ['why', ''], kinds, ':6'],
    ['a kind that was begun', ['why', 'cc'], ['ccache/'], ':6'],
    ['a name behind a slash', ['why', 'ccache/'], ['ccache/sessions'], ':4'],
    ['a name as a word of its own', ['why', 'ccache', ''], ['sessions'], ':4'],
    ['a name behind a flag with a value', ['why', '-o', 'json', 'kvs/'], ['kvs/carts'], ':4'],
    ['a kind behind a switch', ['status', '--watch', 'kv'], ['kvs/'], ':6'],
    ['nothing where all is said', ['why', 'ccache/sessions', ''], [], ':4'],
    ['nothing where all is said in two words', ['why', 'ccache', 'sessions', ''], [], ':4'],
    ['nothing for the console', ['console', ''], [], ':4'],
    ['a file of manifests', ['plan', '-f', ''], [], ':0'],
    ['a file of a report', ['report', '--file', 'x'], [], ':0'],
    ['a recording', ['replay', ''], [], ':0'],
    ['a history of the console', ['console', '--history', ''], [], ':0'],
    ['no file for a number', ['what-if', '--history', ''], [], ':4'],
    ['a form of output', ['status', '-o', ''], ['text', 'json', 'yaml'], ':4'],
    ['a form of output that was begun', ['status', '--output', 'j'], ['json'], ':4'],
    ['a namespace', ['status', '-n', 'sh'], ['shop'], ':4'],
    ['a context', ['status', '--context', ''], ['test'], ':4'],
    ['a member', ['override', 'kvs/carts', '--member', ''], ['carts-0'], ':4'],
    ['a member of a resource in two words', ['override', 'kvs', 'carts', '--member', ''], ['carts-0'], ':4'],
    ['a backup', ['restore', 'kvs/carts', '--to', 'copy', '--backup', ''], ['first'], ':4'],
    ['a StatefulSet', ['adopt', ''], ['statefulset/'], ':6'],
    ['the name of a StatefulSet', ['adopt', 'statefulset/ol'], ['statefulset/old'], ':4'],
  ] as const)('%s: %j', async (_, words, found, directive) =>
    expect(await typed(...words)).toEqual({ words: found, directive }),
  );

  test('behind each flag that takes a value, no resource', async () => {
    for (const { name } of commands) {
      const { out } = await world.run(`${name} --help`);
      const taking = [
        ...out.matchAll(/^ +(?:-\w, )?(--[\w-]+)\b[^[]*?(?:\n {20,}[^[]*?)*\[(?:string|number|choices)/gm),
      ];
      expect(taking.length, name).toBeGreaterThan(3);
      for (const [, flag = ''] of taking) {
        const { words } = await typed(name, flag, '');
        expect({ name, flag, words }).toEqual({ name, flag, words: words.filter((word) => !word.endsWith('/')) });
      }
    }
  });
});
