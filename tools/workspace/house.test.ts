import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { beforeAll, describe, expect, test } from 'vitest';
import { arrows } from './arrows.js';

const root = join(import.meta.dirname, '..', '..');

interface Graph {
  readonly graph: {
    readonly nodes: Readonly<Record<string, unknown>>;
    readonly dependencies: Readonly<Record<string, readonly { readonly target: string; readonly type: string }[]>>;
  };
}

let graph: Graph['graph'];

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-graph-'));
  const file = join(folder, 'graph.json');
  execFileSync('npx', ['nx', 'graph', `--file=${file}`], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, NX_DAEMON: 'false' },
  });
  graph = (JSON.parse(readFileSync(file, 'utf8')) as Graph).graph;
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

const short = (project: string): string => project.replace('@ordinal/', '');

describe('the house', () => {
  test('every package has its arrows in the table', () => {
    const packages = Object.keys(graph.nodes)
      .map(short)
      .filter((name) => name !== 'ordinal');
    expect(packages.sort()).toEqual(Object.keys(arrows).sort());
  });

  test('the source code draws these arrows and nothing else', () => {
    const manifests = Object.keys(arrows).map((name) => ({ name, allowed: arrows[name] ?? [] }));
    const extra = manifests.flatMap(({ name, allowed }) =>
      shippedDependencies(name)
        .filter((target) => !allowed.includes(target))
        .map((target) => `${name} → ${target}`),
    );
    expect(extra).toEqual([]);
  });

  test('lint refuses an import against the arrows', async () => {
    const eslint = new ESLint({ cwd: root });
    const text = readFileSync(join(import.meta.dirname, 'fixtures', 'wrong-import.ts'), 'utf8');
    const [result] = await eslint.lintText(text, { filePath: join(root, 'libs/client/src/wrong-import.ts') });
    expect(result?.messages.map((message) => message.ruleId)).toContain('@nx/enforce-module-boundaries');
  });
});

/** What a package asks of its siblings when it is installed; what only its tests import stands in `devDependencies`. */
function shippedDependencies(name: string): readonly string[] {
  const folder = ['libs', 'tools', 'apps'].find((parent) => {
    try {
      readFileSync(join(root, parent, name, 'package.json'));
      return true;
    } catch {
      return false;
    }
  });
  const manifest = JSON.parse(readFileSync(join(root, folder ?? '', name, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
  };
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter((dependency) => dependency.startsWith('@ordinal/'))
    .map(short);
}
