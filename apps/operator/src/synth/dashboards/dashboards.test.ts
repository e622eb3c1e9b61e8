import { OperatorInstall } from '@ordinal/constructs';
import { App } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import { askedBy } from '../../../test/promql.ts';
import { dashboards } from './dashboards.ts';
import { servedMetrics } from './served.ts';

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
}

// As Grafana reads them: what the library declares has panels and rows in one list.
const made = JSON.parse(JSON.stringify(dashboards())) as Readonly<Record<string, Dashboard>>;
const served = servedMetrics();

/** What Prometheus itself adds to what it scrapes, and what the labels of its own metric are. */
const added = ['job', 'instance'];
const known: ReadonlyMap<string, readonly string[]> = new Map([
  ['ALERTS', ['alertname', 'alertstate', 'severity', 'namespace', 'name', 'kind']],
  ...served.flatMap(({ name, type, labels }) =>
    type === 'histogram'
      ? ([[`${name}_bucket`, [...labels, ...added, 'le']]] as const)
      : ([[name, [...labels, ...added]]] as const),
  ),
]);

const queriesIn = ({ panels }: Dashboard) => panels.flatMap(({ targets = [] }) => targets);
const wholeQuery = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

describe.each(Object.entries(made))('the dashboard %s', (_, dashboard) => {
  test('asks for metrics that are served, by labels that they have', () => {
    const queries = queriesIn(dashboard);
    expect(queries.length).toBeGreaterThan(10);
    for (const { expr } of queries) {
      const asked = askedBy(wholeQuery(expr));
      expect(asked.length).toBeGreaterThan(0);
      const unknown = asked.flatMap(({ name, labels }) => {
        const its = known.get(name);
        return its ? labels.filter((label) => !its.includes(label)).map((label) => `${name}{${label}}`) : [name];
      });
      expect(unknown).toEqual([]);
    }
  });

  test('calls lines by labels that their queries keep', () => {
    for (const { expr, legendFormat } of queriesIn(dashboard)) {
      const labels = askedBy(wholeQuery(expr)).flatMap((asked) => asked.labels);
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      expect(named.filter((label) => !labels.includes(label))).toEqual([]);
    }
  });

  test('asks for its variables, each from a metric that is served', () => {
    const { list } = dashboard.templating;
    const used = queriesIn(dashboard).flatMap(({ expr }) => expr.match(/\$\w+/g) ?? []);
    const names = [...list.map(({ name }) => `$${name}`), '$__rate_interval'];
    expect(used.filter((name) => !names.includes(name))).toEqual([]);
    for (const { query } of list.filter((one) => one.name !== 'datasource')) {
      const [, metric = '', label = ''] = /^label_values\((\w+).*, (\w+)\)$/.exec(query) ?? [];
      expect(known.get(metric)).toContain(label);
    }
  });

  test('has no panels that overlap or end outside', () => {
    const places = dashboard.panels.map(({ gridPos }) => gridPos);
    const overlapping = places.filter(({ x, y, w, h }, index) =>
      places.some(
        (other, at) =>
          at < index && x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h,
      ),
    );
    expect(overlapping).toEqual([]);
    expect(places.filter(({ x, w }) => x + w > 24)).toEqual([]);
  });
});

describe('the dashboards', () => {
  test('show every metric that is served', () => {
    const asked = Object.values(made).flatMap((one) => queriesIn(one).flatMap(({ expr }) => askedBy(wholeQuery(expr))));
    const shown = new Set(asked.map(({ name }) => name.replace(/_bucket$/, '')));
    expect(served.length).toBeGreaterThan(60);
    expect(served.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });

  test('have an address each', () => {
    const uids = Object.values(made).map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(uids.length);
    expect(uids.every((uid) => uid.length <= 40)).toBe(true);
  });

  test('of the constructs are these: `npm run synth` brings them up to date', () => {
    const install = new OperatorInstall(new App(), 'it', { crds: false, dashboards: true });
    // What cdk8s makes is declared as any[].
    const manifests = install.toJson() as readonly {
      readonly kind: string;
      readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
      readonly data: Readonly<Record<string, string>>;
    }[];
    const maps = manifests.filter(
      ({ kind, metadata }) => kind === 'ConfigMap' && 'grafana_dashboard' in metadata.labels,
    );
    const found = maps.map(({ metadata, data }) => [
      metadata.name.replace('ordinal-operator-dashboard-', ''),
      JSON.parse(Object.values(data)[0] ?? '') as unknown,
    ]);
    expect(Object.fromEntries(found)).toEqual(made);
  });
});
