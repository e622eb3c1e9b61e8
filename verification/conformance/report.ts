import type { Result } from './suite.ts';
import type { Known, SuiteTest } from './tests.ts';

/** A test with what became of it. */
export interface Reported extends SuiteTest {
  readonly state: 'passed' | 'failed' | 'not applicable';
  /** Why it failed, or does not apply; empty where it passed. */
  readonly message: string;
  readonly seconds: number;
}

/** What became of each test. One that was to be run and has no result has failed. */
export function report(
  tests: readonly SuiteTest[],
  results: readonly Result[],
  { notApplicable }: Known,
): readonly Reported[] {
  const byName = new Map(results.map((result) => [result.name, result]));
  return tests.map((test) => {
    const result = byName.get(test.name);
    const reason = notApplicable.get(test.name);
    if (result === undefined && reason !== undefined)
      return { ...test, state: 'not applicable', message: reason, seconds: 0 };
    const { state = 'aborted', message = 'it was not run', seconds = 0 } = result ?? {};
    if (state === 'passed') return { ...test, state, message: '', seconds };
    // A test that skips itself shows nothing.
    return { ...test, state: 'failed', message: `${state}: ${firstLines(message)}`, seconds };
  });
}

/** How the message begins, without what is of this machine: where the suite's sources, kubectl and its configuration are. */
function firstLines(message: string): string {
  return message
    .replace(/^\S*?k8s\.io\/kubernetes(@[^/]+)?\//, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\/\S*\/kubectl /g, 'kubectl ')
    .replaceAll(/--(server|kubeconfig)=\S+ /g, '')
    .slice(0, 160)
    .trimEnd();
}

/** How many tests of each area passed, failed and do not apply, in Markdown. */
export function tableByArea(reported: readonly Reported[]): string {
  const areas = [...new Set(reported.map(({ area }) => area))].sort();
  const states = ['passed', 'failed', 'not applicable'] as const;
  const row = (title: string, tests: readonly Reported[]): string =>
    `| ${title} | ${tests.length} | ${states.map((state) => tests.filter((test) => test.state === state).length).join(' | ')} |`;
  return [
    '| area | tests | passed | failed | not applicable |',
    '| --- | --- | --- | --- | --- |',
    ...areas.map((area) =>
      row(
        area,
        reported.filter((test) => test.area === area),
      ),
    ),
    row('all', reported),
  ].join('\n');
}

/** Tests that have passed before, and fail now. */
export function lostOf(reported: readonly Reported[], { passed }: Pick<Known, 'passed'>): readonly Reported[] {
  return reported.filter(({ name, state }) => state === 'failed' && passed.has(name));
}

/** The text with the table, and every test by area with the reason where it did not pass. */
export function pageOf(reported: readonly Reported[]): string {
  const sections = [...new Set(reported.map(({ area }) => area))].sort().map((area) => {
    const lines = reported
      .filter((test) => test.area === area)
      .flatMap(({ name, state, message }) => [`${state}: ${name}`, ...(message === '' ? [] : [`    ${message}`])]);
    return [area, '', ...lines].join('\n');
  });
  return [tableByArea(reported), ...sections, ''].join('\n\n').trimEnd() + '\n';
}
