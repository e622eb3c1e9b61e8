// Checks and tries the alerts of the install manifest with promtool: on the PATH, or else the one of Debian's package "prometheus", which is kept in the cache.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { alertGroup } from '@ordinal/constructs';
import { stringify } from 'yaml';
import { alertTests } from './alert-tests.ts';

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ordinal-promtool');

/** The program, or why there is none. */
function findPromtool(): { readonly program: string } | { readonly missing: string } {
  if (answers('promtool')) return { program: 'promtool' };
  const program = join(cache, 'usr', 'bin', 'promtool');
  if (answers(program)) return { program };
  if (!existsSync('/usr/bin/apt-get'))
    return { missing: 'there is no promtool on the PATH, and no apt-get to fetch it with' };
  mkdirSync(cache, { recursive: true });
  try {
    const options = { cwd: cache, stdio: 'pipe' } as const;
    // A machine that was just made has no package lists yet.
    try {
      execFileSync('apt-get', ['download', 'prometheus'], options);
    } catch {
      execFileSync('apt-get', ['update', '-qq'], options);
      execFileSync('apt-get', ['download', 'prometheus'], options);
    }
    const archive = readdirSync(cache).find((name) => name.endsWith('.deb')) ?? '';
    execFileSync('dpkg-deb', ['--extract', archive, cache], options);
    rmSync(join(cache, archive));
  } catch (error) {
    return { missing: `Debian's package prometheus can't be fetched: ${String(error).split('\n')[0] ?? ''}` };
  }
  return answers(program) ? { program } : { missing: 'the promtool of Debian does not run here' };
}

function answers(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

type Rule = ReturnType<typeof alertGroup>['rules'][number];

/** A text of an alert, as it is for these labels. */
const filled = (text: string, labels: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '');

/** What promtool expects of an alert that fires with these labels. */
function expectedAlert({ labels: common, annotations }: Rule, labels: Readonly<Record<string, string>>) {
  const texts = Object.entries(annotations).map(([key, text]) => [key, filled(text, labels)] as const);
  return { exp_labels: { ...common, ...labels }, exp_annotations: Object.fromEntries(texts) };
}

/** The tests of the alerts as promtool reads them. */
function testFile(rules: readonly Rule[], file: string): string {
  const tests = alertTests.map(({ alert, input, at, labels }) => {
    const rule = rules.find((one) => one.alert === alert);
    if (!rule) throw new Error(`there is no alert ${alert}`);
    const expected = labels ? [expectedAlert(rule, labels)] : [];
    return {
      interval: '1m',
      input_series: input,
      alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: expected }],
    };
  });
  return stringify({ rule_files: [file], evaluation_interval: '1m', tests });
}

const found = findPromtool();
if ('missing' in found) {
  console.log(`skipped: ${found.missing}\n0 passed, 0 failed, 1 skipped`);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'ordinal-alerts-'));
  const file = join(folder, 'alerts.yaml');
  const group = alertGroup();
  writeFileSync(file, stringify({ groups: [group] }));
  try {
    execFileSync(found.program, ['check', 'rules', file], { stdio: 'inherit' });
    const tests = join(folder, 'tests.yaml');
    writeFileSync(tests, testFile(group.rules, file));
    execFileSync(found.program, ['test', 'rules', tests], { stdio: 'inherit' });
    console.log(`${group.rules.length + alertTests.length} passed, 0 failed`);
  } catch {
    console.log(`0 passed, ${alertTests.length} failed`);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
