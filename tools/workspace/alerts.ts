// Checks and tries the alerts of the install manifest with promtool.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alertGroup } from '@ordinal/constructs';
import { stringify } from 'yaml';
import { alertTests } from './alert-tests.ts';
import { findPrometheus } from './prometheus.ts';

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

const found = findPrometheus('promtool');
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
