import {
  DashboardBuilder,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
  type Dashboard,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { kinds as allKinds, type Kind } from '@ordinal/reconcilers';
import { declaredControllers } from '../../controllers.ts';
import { firingAlerts, howMany, overTime, source, whichAndWhen } from './panels.ts';
import { isFlag, type Scope } from './queries.ts';
import { filledRows, kindRows, operatorRows } from './rows.ts';
import { servedMetrics, type Metric } from './served.ts';

/** The Grafana dashboards by their short names: `operator`, and each kind in lower case. They are made of the definitions of the metrics: a new one needs no line here. */
export function dashboards(): Readonly<Record<string, Dashboard>> {
  const metrics = servedMetrics();
  return {
    operator: operatorDashboard(metrics),
    ...Object.fromEntries(allKinds.map((kind) => [shortNameOf(kind), kindDashboard(kind, metrics)])),
  };
}

const shortNameOf = ({ descriptor }: Kind): string => descriptor.kind.toLowerCase();

/** The metrics of resources, by the kinds' own lists. */
const ofResources = new Set(allKinds.flatMap((kind) => Object.keys(kind.metrics.gauges)));

function operatorDashboard(metrics: readonly Metric[]): Dashboard {
  const shown = metrics.filter(({ name }) => !ofResources.has(name));
  const dashboard = begun('operator', 'Ordinal / Operator').withPanel(firingAlerts());
  addRows(dashboard, filledRows(operatorRows, shown), () => []);
  return dashboard.build();
}

/** A ClusteredCache has nothing outside that a deletion would have to clean up first. */
const cleansUp = ({ name }: Kind): boolean => name !== 'clustered-cache';

function kindDashboard(kind: Kind, metrics: readonly Metric[]): Dashboard {
  const own = metrics.filter(({ name }) => name in kind.metrics.gauges);
  const flags = own.filter(isFlag);
  const shown = metrics.filter(({ name }) => {
    if (name.startsWith('operator_') && !cleansUp(kind)) return false;
    return name in kind.metrics.gauges || !ofResources.has(name);
  });
  const scope = scopeOf(kind);
  const dashboard = begun(shortNameOf(kind), `Ordinal / ${kind.descriptor.kind}`);
  const any = own[0]?.name ?? '';
  for (const label of ['namespace', 'name'])
    dashboard.withVariable(variable(label, `label_values(${any}{job=~"$job"}, ${label})`).allValue('.*'));
  dashboard.withRow(new RowBuilder('Resources that something is wrong with'));
  for (const flag of flags) dashboard.withPanel(howMany(flag, scope));
  dashboard.withRow(new RowBuilder('Which, and when')).withPanel(whichAndWhen(flags, scope));
  const rows = filledRows(
    kindRows,
    shown.filter((metric) => !flags.includes(metric)),
  );
  addRows(dashboard, rows, scope);
  return dashboard.build();
}

function addRows(dashboard: DashboardBuilder, rows: ReturnType<typeof filledRows>, scope: Scope): void {
  for (const { title, metrics } of rows) {
    dashboard.withRow(new RowBuilder(title));
    for (const metric of metrics) dashboard.withPanel(overTime(metric, scope));
  }
}

/** A dashboard with what all have: the choice of the data source and the installation, and links to the others. */
function begun(name: string, title: string): DashboardBuilder {
  return new DashboardBuilder(title)
    .uid(`ordinal-${name}`)
    .tags(['ordinal'])
    .readonly()
    .time({ from: 'now-6h', to: 'now' })
    .refresh('1m')
    .link(
      new DashboardLinkBuilder('Ordinal')
        .type(DashboardLinkType.Dashboards)
        .tags(['ordinal'])
        .includeVars(true)
        .keepTime(true),
    )
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(variable('job', 'label_values(ordinal_cache_synced, job)'));
}

const variable = (name: string, query: string): QueryVariableBuilder =>
  new QueryVariableBuilder(name)
    .datasource(source)
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .current({ selected: true, text: 'All', value: '$__all' });

/** What queries of a kind's dashboard are about: the chosen resources; of what has no labels of these, the kind or its controllers. */
function scopeOf(kind: Kind): Scope {
  const controllers = declaredControllers([kind]).map(({ name }) => name);
  const { kind: ownName, plural, group } = kind.descriptor;
  return ({ name, labels }) => {
    if (labels.includes('namespace')) return ['namespace=~"$namespace"', 'name=~"$name"'];
    // Caches are called as Kubernetes calls a resource with its group.
    if (name.startsWith('ordinal_cache_')) return [`kind="${plural}.${group}"`];
    if (labels.includes('kind')) return [`kind="${ownName}"`];
    return [`${labels.includes('controller') ? 'controller' : 'name'}=~"${controllers.join('|')}"`];
  };
}
