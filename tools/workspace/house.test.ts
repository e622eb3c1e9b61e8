import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ESLint } from 'eslint';
import { beforeAll, describe, expect, test } from 'vitest';
import { arrows } from './arrows.js';
import { programs } from './programs.js';

const root = join(import.meta.dirname, '..', '..');

interface Graph {
  readonly graph: {
    readonly nodes: Readonly<Record<string, { readonly data: { readonly root: string } }>>;
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
  test('every project is a package with its arrows in the table, or a program with its dependencies in project.json', () => {
    const programNames = programs.map(({ name }) => name);
    expect(Object.keys(graph.nodes).map(short).sort()).toEqual([...Object.keys(arrows), ...programNames].sort());
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

  test('every file with code belongs to a project', () => {
    const loose = sourceFiles().filter((file) => projectOf(file) === undefined && file.includes('/'));
    expect(loose).toEqual([]);
  });

  // What no dependency says, no change is known to concern: `nx affected` would pass over it, and the cache give an old answer.
  test('whatever a file imports from another project, its project depends on', () => {
    const undeclared = sourceFiles().flatMap((file) => {
      const from = projectOf(file);
      return importsOf(file)
        .map(projectOf)
        .filter((to) => to !== undefined && from !== undefined && to !== from && !dependenciesOf(from).includes(to))
        .map((to) => `${file} → ${String(to)}`);
    });
    expect(undeclared).toEqual([]);
  });

  const refused = async (file: string, text: string): Promise<boolean> => {
    const [result] = await new ESLint({ cwd: root }).lintText(text, { filePath: join(root, file) });
    return result?.messages.some(({ ruleId }) => ruleId === '@nx/enforce-module-boundaries') ?? false;
  };

  test('lint refuses an import against the arrows', async () => {
    const text = readFileSync(join(import.meta.dirname, 'fixtures', 'wrong-import.ts'), 'utf8');
    expect(await refused('libs/client/src/wrong-import.ts', text)).toBe(true);
  });

  test.each([
    ['tools/flags/wrong.ts', '@ordinal/client'],
    ['tools/demo/wrong.ts', '@ordinal/reconcilers'],
    ['tools/demo/wrong.ts', '../e2e/report.ts'],
    ['tools/e2e/wrong.ts', '../../libs/client/src/index.ts'],
    ['tools/workspace/wrong.test.ts', '../demo/screen.ts'],
    ['verification/mutations/wrong.ts', '../../libs/simulator/src/index.ts'],
    ['verification/attacks/wrong.test.ts', '../../tools/demo/screen.ts'],
    ['bench/schema/wrong.ts', '../../tools/e2e/report.ts'],
    ['verification/mutants/wrong.ts', '../attacks/run.ts'],
    ['libs/reconcilers/src/wrong.ts', '../../../verification/search/engine/searched.ts'],
    ['examples/own-operator/wrong.ts', '@ordinal/reconcilers'],
    ['examples/cloud-api/wrong.ts', '../own-operator/website.ts'],
  ])('lint refuses that %s imports %s', async (file, imported) => {
    expect(await refused(file, `import * as it from '${imported}';\nconsole.log(it);\n`)).toBe(true);
  });

  test.each([
    ['tools/demo/right.ts', '../flags/flags.ts'],
    ['tools/demo/right.ts', '@ordinal/simulator'],
    ['verification/attacks/right.test.ts', '../../libs/runtime/test/listener.ts'],
  ])('and lets %s import %s, as its project.json says', async (file, imported) => {
    expect(await refused(file, `import * as it from '${imported}';\nconsole.log(it);\n`)).toBe(false);
  });
});

/** Everything that is written in TypeScript or JavaScript here, from the root. */
const sourceFiles = (): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.js', '*.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/fixtures/') && existsSync(join(root, file)));

/** The project that a file or a package belongs to, by its short name: `libs/client/src/index.ts` and `@ordinal/client/types` to `client`. */
function projectOf(path: string): string | undefined {
  const named = /^@ordinal\/([a-z-]+)/.exec(path)?.[1];
  if (named !== undefined) return named;
  const name = Object.keys(graph.nodes).find((each) => path.startsWith(`${graph.nodes[each]?.data.root ?? ''}/`));
  return name === undefined ? undefined : short(name);
}

/** What a file imports of this repository: the names of packages as they stand, and files from the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [
    ...text.matchAll(/^(?:import|export|\}) [^;]*?from '([^']+)';$|^import '([^']+)';$|await import\('([^']+)'\)/gm),
  ]
    .map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
    .map((imported) => (imported.startsWith('.') ? join(dirname(file), imported) : imported));
}

const dependenciesOf = (project: string): readonly string[] =>
  Object.entries(graph.dependencies)
    .filter(([name]) => short(name) === project)
    .flatMap(([, dependencies]) => dependencies.map(({ target }) => short(target)));

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
