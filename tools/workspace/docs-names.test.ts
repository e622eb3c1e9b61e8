import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alertGroup } from '@ordinal/constructs';
import { kinds as operated } from '@ordinal/reconcilers';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The text of the source files in a folder, tests left out. */
function sourceOf(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n');
}

const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');

const metricName =
  /\b((?:leader_election|ordinal|operator|controller_runtime|workqueue|rest_client|process)_[a-z]+(?:_[a-z]+)*)\b(?=['":])/g;

describe('the page of metrics', () => {
  const served = new Set([
    ...['apps/operator/src', 'libs/runtime/src/observability', 'libs/lifecycle/src'].flatMap((folder) =>
      [...sourceOf(folder).matchAll(metricName)].map(([, name = '']) => name),
    ),
    ...operated.flatMap(({ metrics }) => Object.keys(metrics.gauges)),
  ]);
  const reported = new Set(
    [...page('reference/metrics.md').matchAll(/`((?:[a-z]+_)+[a-z]+)`/g)].map(([, name = '']) => name),
  );

  test('has every metric of the source', () => {
    expect(served.size).toBeGreaterThan(30);
    expect([...served].filter((name) => !reported.has(name))).toEqual([]);
  });

  test('has none that the source does not have', () => {
    expect([...reported].filter((name) => !served.has(name))).toEqual([]);
  });
});

describe('the page of alerts', () => {
  const sections = [...page('operate/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, title = '']) => title);

  test.each(alertGroup().rules.map((rule) => [rule.alert, rule.annotations.runbook_url] as const))(
    'is where the runbook of %s is, with its section',
    (alert, url) => {
      const { pathname, hash } = new URL(url);
      expect(existsSync(join(root, `${pathname}.md`))).toBe(true);
      expect(sections.map((title) => `#${title.toLowerCase()}`)).toContain(hash);
      expect(hash).toBe(`#${alert.toLowerCase()}`);
    },
  );
});

/** What a kind's page describes, and the folders whose reasons it may show. */
const kinds = {
  'clustered-cache': [
    'reconcilers/src/clustered-cache',
    'reconcilers/src/adoption',
    'reconcilers/src/upgrade',
    'lifecycle/src/rollout',
  ],
  'kv-store-cluster': ['reconcilers/src/kv-store-cluster', 'reconcilers/src/adoption'],
  'monitored-stateful-set': [
    'reconcilers/src/monitored-stateful-set',
    'reconcilers/src/adoption',
    'reconcilers/src/upgrade',
    'lifecycle/src/rollout',
  ],
  'cloud-database': ['reconcilers/src/cloud-database', 'lifecycle/src/external-resource'],
} as const;

/** Reasons of HTTP replies, and none of conditions or events. */
const ofReplies: ReadonlySet<string> = new Set(['TooManyRequests', 'Invalid']);

/** What the engine for outside things says, and the status of a MonitoredStatefulSet calls otherwise: RegistrationSuccessful and RegistrationFailed. */
const renamed: ReadonlySet<string> = new Set(['Available', 'CallFailed']);

test.each(Object.entries(kinds))('the page of %s has every reason that its source gives', (name, folders) => {
  const source = folders.map((folder) => sourceOf(`libs/${folder}`)).join('\n');
  const reasons = new Set([...source.matchAll(/\breason: '([A-Z]\w+)'/g)].map(([, reason = '']) => reason));
  const text = page(`reference/kinds/${name}.md`);
  expect(reasons.size).toBeGreaterThan(3);
  const shown = (reason: string): boolean =>
    !ofReplies.has(reason) && !(name === 'monitored-stateful-set' && renamed.has(reason));
  expect([...reasons].filter((reason) => shown(reason) && !text.includes(`\`${reason}\``))).toEqual([]);
});
