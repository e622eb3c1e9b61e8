import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from './run.ts';

const fixture = new URL('../../fixtures/crds/keda.sh_scaledobjects.yaml', import.meta.url).pathname;
const other = new URL('../../fixtures/crds/pkg.crossplane.io_locks.yaml', import.meta.url).pathname;

let folder = '';
let output: { out: string[]; error: string[] };
const command = (...argv: string[]): number => {
  output = { out: [], error: [] };
  return run(argv, { out: (text) => output.out.push(text), error: (text) => output.error.push(text) });
};
const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codegen-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('generating', () => {
  test('writes every part, and again the same', () => {
    const out = join(folder, 'new/deep');
    expect(command('--out', out, fixture)).toBe(0);
    expect(filesIn(out)).toMatchInlineSnapshot(`
      [
        "folded-json.ts",
        "keda.sh/definitions.ts",
        "keda.sh/scaledobject.definition.ts",
        "keda.sh/v1alpha1/clients.ts",
        "keda.sh/v1alpha1/constructs.ts",
        "keda.sh/v1alpha1/index.ts",
        "keda.sh/v1alpha1/scaledobject.construct.ts",
        "keda.sh/v1alpha1/scaledobject.ts",
        "keda.sh/v1alpha1/scaledobject.validator.ts",
        "keda.sh/v1alpha1/validators.ts",
        "kubernetes-construct.ts",
        "kubernetes-validator.ts",
      ]
    `);
    const before = statSync(join(out, 'keda.sh/v1alpha1/scaledobject.ts')).mtimeMs;
    expect(command('--out', out, fixture)).toBe(0);
    expect(statSync(join(out, 'keda.sh/v1alpha1/scaledobject.ts')).mtimeMs).toBe(before);
  });

  test.each([
    ['types', ['index.ts', 'scaledobject.ts']],
    ['clients', ['clients.ts', 'index.ts', 'scaledobject.ts']],
    ['validators', ['index.ts', 'scaledobject.ts', 'scaledobject.validator.ts', 'validators.ts']],
  ])('--only %s writes what that part needs and no more', (part, files) => {
    expect(command('--out', folder, '--only', part, fixture)).toBe(0);
    expect(filesIn(join(folder, 'keda.sh/v1alpha1'))).toEqual(files);
  });

  test('removes what it generated before and leaves the files of others', () => {
    writeFileSync(join(folder, 'mine.ts'), 'export {};\n');
    expect(command('--out', folder, fixture)).toBe(0);
    expect(command('--out', folder, other)).toBe(0);
    expect(filesIn(folder).filter((file) => file.startsWith('keda'))).toEqual([]);
    expect(existsSync(join(folder, 'mine.ts'))).toBe(true);
  });

  test('reads folders, and passes over files without a CRD', () => {
    mkdirSync(join(folder, 'in/sub'), { recursive: true });
    writeFileSync(join(folder, 'in/values.yaml'), 'a: 1\n');
    writeFileSync(join(folder, 'in/sub/crd.yml'), readFileSync(other));
    expect(command('--out', join(folder, 'out'), join(folder, 'in'))).toBe(0);
    expect(existsSync(join(folder, 'out/pkg.crossplane.io/v1beta1/lock.ts'))).toBe(true);
  });
});

describe('--check', () => {
  test('ends with 0 where nothing differs, and writes nothing where something does', () => {
    command('--out', folder, fixture);
    expect(command('--check', '--out', folder, fixture)).toBe(0);
    const file = join(folder, 'keda.sh/v1alpha1/scaledobject.ts');
    const edited = readFileSync(file, 'utf8').replace('export interface ScaledObjectSpec', 'export interface Edited');
    writeFileSync(file, edited);
    expect(command('--check', '--out', folder, fixture)).toBe(1);
    expect(output.out.join('\n')).toMatch(/^\+export interface ScaledObjectSpec/m);
    expect(output.out.join('\n')).toMatch(/^-export interface Edited/m);
    expect(readFileSync(file, 'utf8')).toBe(edited);
  });

  test('shows text that was appended to a file, and no other line', () => {
    command('--out', folder, fixture);
    appendFileSync(join(folder, 'keda.sh/v1alpha1/index.ts'), '// mine\n');
    expect(command('--check', '--out', folder, fixture)).toBe(1);
    const shown = output.out.join('\n').split('\n').slice(2);
    expect(shown).toEqual([expect.stringMatching(/^@@ -\d+,1 \+\d+,0 @@$/), '-// mine']);
  });

  test('shows files that are missing and files that are left over', () => {
    command('--out', folder, fixture);
    expect(command('--check', '--out', folder, other)).toBe(1);
    expect(output.out.join('\n')).toContain('--- /dev/null');
    expect(output.out.join('\n')).toContain('+++ /dev/null');
  });
});

describe('failures end with 2, say so in one line and write nothing', () => {
  const bad = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test.each<readonly [string, () => string[], RegExp]>([
    ['no --out', () => [fixture], /--out DIR is missing/],
    ['no input', () => ['--out', 'x'], /no input/],
    ['standard input twice', () => ['--out', 'x', '-', '-'], /- is given twice/],
    ['an unknown option', () => ['--oot', 'x'], /unknown option --oot; there are --out, --check, --only, /],
    ['an option without its value', () => ['--out', '--check', fixture], /--out needs a value; see/],
    ['an option with an empty value', () => ['--out=', fixture], /--out needs a value; see/],
    ['a switch with a value', () => ['--out', 'x', '--check=yes', fixture], /--check takes no value; see/],
    ['an unknown part', () => ['--out', 'x', '--only', 'types,docs', fixture], /--only docs: there is no such part/],
    ['an unreadable file', () => [join(folder, 'none.yaml')], /none\.yaml: no such file/],
    ['one bad file among good ones', () => [fixture, bad('bad.yaml', 'a: [\n')], /bad\.yaml:\d+: not YAML/],
    ['a file that is no text', () => [bad('bytes.yaml', '')], /no CRD: it is empty/],
    ['a folder without a CRD', () => [folder], /no file in this folder holds a CRD/],
  ])('%s', (_, argv, message) => {
    const out = join(folder, 'out');
    const given = argv();
    expect(
      command(
        ...(given.includes('--out') || (given[0] === fixture && given.length === 1) ? given : ['--out', out, ...given]),
      ),
    ).toBe(2);
    expect(output.error).toHaveLength(1);
    expect(output.error[0]).toMatch(message);
    expect(output.error[0]).not.toContain('\n');
    expect(existsSync(out)).toBe(false);
  });

  test('an output that is a file', () => {
    const out = bad('file', 'x');
    expect(command('--out', out, fixture)).toBe(2);
    expect(output.error[0]).toMatch(/can not|not a directory/);
    expect(readFileSync(out, 'utf8')).toBe('x');
  });

  test('a foreign file in the way', () => {
    mkdirSync(join(folder, 'keda.sh/v1alpha1'), { recursive: true });
    writeFileSync(join(folder, 'keda.sh/v1alpha1/scaledobject.ts'), 'mine');
    expect(command('--out', folder, fixture)).toBe(2);
    expect(output.error[0]).toMatch(/was not generated and would be overwritten/);
    expect(filesIn(folder)).toEqual(['keda.sh/v1alpha1/scaledobject.ts']);
  });

  test.each([
    ['a file where a folder is needed', 'keda.sh', (path: string): void => writeFileSync(path, 'mine'), /is a file/],
    [
      'a folder where a file is needed',
      'keda.sh/v1alpha1/scaledobject.validator.ts',
      (path: string): void => void mkdirSync(path, { recursive: true }),
      /is a folder/,
    ],
  ])('%s: nothing is left of what was begun', (_, path, make, message) => {
    make(join(folder, path));
    const before = readdirSync(folder, { recursive: true });
    expect(command('--out', folder, fixture)).toBe(2);
    expect(output.error[0]).toMatch(message);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });
});
