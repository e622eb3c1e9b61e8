import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A conformance test of Kubernetes. */
export interface SuiteTest {
  readonly name: string;
  /** The folder of its file below `test/e2e`. */
  readonly area: string;
  /** Its file's name without an ending. */
  readonly file: string;
}

/** All conformance tests of the suite, as Kubernetes itself lists them. */
export function testsOf(suite: string): readonly SuiteTest[] {
  const listed = parse(execFileSync(suite, ['-list'], { encoding: 'utf8', maxBuffer: 1 << 24 })) as readonly {
    readonly codename: string;
    readonly file: string;
  }[];
  const all = listed.map(({ codename, file }) => {
    const [, area = '', base = ''] = /^test\/e2e\/(.+)\/([^/]+)\.go$/.exec(file) ?? [];
    return { name: codename, area, file: base };
  });
  return all.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Whether a test belongs to what `--area` names: a SIG, a folder or a file. */
export function belongsTo(test: SuiteTest, wanted: string): boolean {
  const { name, area, file } = test;
  return name.startsWith(`[sig-${wanted}]`) || area === wanted || area.startsWith(`${wanted}/`) || file === wanted;
}

/** Every `of`-th test, from the `index`-th on (1 is the first). */
export function shardOf<T>(tests: readonly T[], text: string): readonly T[] {
  const [, index = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index < 1 || of < index) throw new Error(`--shard takes such as 1/4, not '${text}'`);
  return tests.filter((_, place) => place % of === index - 1);
}

/** What is known of the tests before they are run. */
export interface Known {
  /** Tests that have passed. One of them that fails is an error. */
  readonly passed: ReadonlySet<string>;
  /** Why a test can't be asked of the simulation, by its name. */
  readonly notApplicable: ReadonlyMap<string, string>;
}

/** The version of Kubernetes that the lists are of, unless their names say otherwise. */
const mainVersion = '1.36';

/** A file of what was seen with a version of Kubernetes: `passed.txt`, `passed-1.37.txt`. */
export const fileOf = (name: 'passed' | 'results', kubernetes: string): string =>
  join(import.meta.dirname, `${name}${kubernetes === mainVersion ? '' : `-${kubernetes}`}.txt`);

/** The names of the tests that have passed with a version of Kubernetes. */
export function passedWith(kubernetes: string): readonly string[] {
  const file = fileOf('passed', kubernetes);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** What a test is known by in every version: the labels at the end of its name may stand in another order. */
export function keyOf(name: string): string {
  const labels = name.match(/\[[^\]]+\]/g) ?? [];
  return [
    name
      .replaceAll(/\[[^\]]+\]/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    ...labels.sort(),
  ].join(' ');
}

const notApplicableFile = join(import.meta.dirname, 'not-applicable.yaml');

/**
 * Reads both lists, and holds them to the suite: a name that it does not have, or one in both, is an error. Reasons are shared by all versions, and a later
 * one may not have a test any more.
 */
export function known(tests: readonly SuiteTest[], kubernetes: string): Known {
  const passed = new Set(passedWith(kubernetes));
  const reasons = (parse(readFileSync(notApplicableFile, 'utf8')) ?? []) as readonly {
    readonly reason: string;
    /** The version that has these tests; absent for those of all versions. */
    readonly kubernetes?: string;
    readonly tests: readonly string[];
  }[];
  const own = reasons.filter((each) => each.kubernetes === undefined || each.kubernetes === kubernetes);
  const listed = new Map(own.flatMap(({ reason, tests: each }) => each.map((name) => [name, reason])));
  const byKey = new Map([...listed].map(([name, reason]) => [keyOf(name), reason]));
  const notApplicable = new Map(
    tests.flatMap(({ name }) => {
      const reason = byKey.get(keyOf(name));
      return reason === undefined ? [] : [[name, reason]];
    }),
  );
  const names = new Set(tests.map(({ name }) => name));
  const expected = own.filter((each) => each.kubernetes === kubernetes || kubernetes === mainVersion);
  for (const name of [...passed, ...expected.flatMap((each) => each.tests)])
    if (!names.has(name)) throw new Error(`the suite has no test '${name}'`);
  for (const name of notApplicable.keys())
    if (passed.has(name)) throw new Error(`a test that has passed is said not to be applicable: '${name}'`);
  return { passed, notApplicable };
}
