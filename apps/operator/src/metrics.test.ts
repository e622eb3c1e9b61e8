import { alerts } from '@ordinal/constructs';
import { kinds } from '@ordinal/reconcilers';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { askedBy } from '../test/promql.ts';
import { observeGauges } from './metrics.ts';
import { servedMetrics } from './synth/dashboards/served.ts';

const served = servedMetrics();

/** The metrics that an expression names, those behind a pattern of names one by one. */
function metricsIn(expression: string): readonly string[] {
  return askedBy(expression).flatMap(({ name }) => {
    const [, before = '', words, after = ''] = /^(\w*)\(([^)]*)\)(\w*)$/.exec(name) ?? [];
    return words === undefined ? [name] : words.split('|').map((word) => `${before}${word}${after}`);
  });
}

/** What a gauge is called, whichever kind it is of. */
const kindless = (name: string): string => name.replace(/^ordinal_[a-z]+_/, '');

describe('the alerts', () => {
  test.each(alerts.map(({ alert, expr }) => [alert, expr] as const))(
    '%s asks for metrics that are served, by labels that they have',
    (_, expr) => {
      const asked = metricsIn(expr);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter((name) => !served.some((metric) => metric.name === name))).toEqual([]);
      for (const { name, labels } of askedBy(expr)) {
        const meant = served.filter((metric) => new RegExp(`^(?:${name})$`).test(metric.name));
        for (const metric of meant) expect(labels.filter((label) => !metric.labels.includes(label))).toEqual([]);
      }
    },
  );

  test.each(alerts.map(({ alert, expr }) => [alert, expr] as const))(
    '%s asks for what it is about of every kind that has it',
    (_, expr) => {
      const asked = metricsIn(expr);
      const about = new Set(asked.map(kindless));
      const gauges = kinds.flatMap(({ metrics }) => Object.keys(metrics.gauges));
      expect(gauges.filter((name) => about.has(kindless(name)) && !asked.includes(name))).toEqual([]);
    },
  );
});

describe('the gauges of resources', () => {
  test.each(kinds.map(({ name, metrics }) => [name, metrics] as const))('of %s are all served', (_, { gauges }) => {
    const declared = Object.keys(gauges);
    const names = served.map(({ name }) => name);
    expect(declared.length).toBeGreaterThan(0);
    expect(names).toEqual(expect.arrayContaining(declared));
  });

  test('are named in one place: what a kind works out is served with its labels and its help', async () => {
    const registry = new Registry();
    const gauges = { ordinal_a_things: { help: 'How many.', labels: ['step'] }, ordinal_a_none: { help: 'None.' } };
    const labels = { namespace: 'shop', name: 'orders', step: 'One' };
    observeGauges(registry, gauges, () => [{ name: 'ordinal_a_things', labels, value: 3 }]);
    expect(await registry.getMetricsAsJSON()).toMatchObject([
      { name: 'ordinal_a_things', help: 'How many.', values: [{ labels, value: 3 }] },
      { name: 'ordinal_a_none', help: 'None.', values: [] },
    ]);
  });
});
