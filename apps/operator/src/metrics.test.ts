import { alerts } from '@ordinal/constructs';
import { kinds } from '@ordinal/reconcilers';
import type { Manager } from '@ordinal/runtime';
import { observeManager, prometheusClientMetrics, prometheusMetrics } from '@ordinal/runtime/observability';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { cleanupMetrics, observeGauges, observeKinds } from './metrics.ts';
import { observeProcess } from './process-metrics.ts';

const clock = { now: () => 0 } as Parameters<typeof observeManager>[2];
/** Metrics are made before the manager has started, and this one never does. */
const idle = {
  caches: () => [],
  readiness: () => ({ ready: false, unsynced: [], problems: [] }),
  load: () => ({}),
  leads: () => false,
} as never as Manager;

/** Everything that the program serves, as `operator.ts` puts it together. */
function served(): Registry {
  const registry = new Registry();
  prometheusClientMetrics(registry);
  prometheusMetrics(registry);
  cleanupMetrics(registry);
  observeManager(registry, idle, clock);
  observeProcess(registry, 0);
  observeKinds(registry, idle, { kinds, clock });
  return registry;
}

/** The metrics that an expression names, those behind a pattern of names one by one. */
function metricsIn(expression: string): readonly string[] {
  const patterns = [...expression.matchAll(/__name__=~"([^"]+)"/g)].map(([, pattern]) => pattern ?? '');
  const alternatives = patterns.flatMap((pattern) => {
    const [, before = '', words = '', after = ''] = /^(\w*)\(([^)]*)\)(\w*)$/.exec(pattern) ?? [];
    return words.split('|').map((word) => `${before}${word}${after}`);
  });
  return [
    ...alternatives,
    ...(expression.match(/\b(?:ordinal|operator|controller_runtime|workqueue)_\w+(?![^"]*"\})/g) ?? []),
  ];
}

/** What a gauge is called, whichever kind it is of. */
const kindless = (name: string): string => name.replace(/^ordinal_[a-z]+_/, '');

describe('the alerts', () => {
  test.each(alerts.map(({ alert, expr }) => [alert, expr] as const))(
    '%s asks for metrics that are served',
    async (_, expr) => {
      const names = new Set((await served().getMetricsAsJSON()).map(({ name }) => name));
      const asked = metricsIn(expr);
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter((name) => !names.has(name))).toEqual([]);
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
  test.each(kinds.map(({ name, metrics }) => [name, metrics] as const))(
    'of %s are all served',
    async (_, { gauges }) => {
      const declared = Object.keys(gauges);
      const names = (await served().getMetricsAsJSON()).map(({ name }) => name);
      expect(declared.length).toBeGreaterThan(0);
      expect(names).toEqual(expect.arrayContaining(declared));
    },
  );

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
