import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import { BigValueColorMode, BigValueGraphMode, ReduceDataOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import { ThresholdsConfigBuilder, ThresholdsMode, type Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StateTimelineBuilder } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as TimeSeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { queriesOf, titleOf, unitOf, whichWrong, wrongCount, type Query, type Scope } from './queries.ts';
import type { Metric } from './served.ts';

/** The data source of every panel: the one that is chosen at the top of the dashboard. */
export const source = { type: 'prometheus', uid: '${datasource}' };

/** A dashboard is 24 wide. */
const third = { span: 8, height: 7 } as const;
const sixth = { span: 4, height: 4 } as const;
const whole = { span: 24, height: 6 } as const;

/** What a metric says over time; its help is the panel's description. */
export function overTime(metric: Metric, scope: Scope): Builder<Panel> {
  const panel = new TimeSeriesBuilder()
    .title(titleOf(metric))
    .description(metric.help)
    .datasource(source)
    .unit(unitOf(metric))
    .min(0)
    .span(third.span)
    .height(third.height);
  for (const target of targets(queriesOf(metric, scope))) panel.withTarget(target);
  return panel;
}

/** Of how many resources a flag says that something is wrong: red from the first. */
export function howMany(metric: Metric, scope: Scope): Builder<Panel> {
  const thresholds = new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([
    { value: null, color: 'green' },
    { value: 1, color: 'red' },
  ]);
  const panel = new StatBuilder()
    .title(titleOf(metric))
    .description(metric.help)
    .datasource(source)
    .thresholds(thresholds)
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.Area)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .noValue('no resources')
    .span(sixth.span)
    .height(sixth.height);
  for (const target of targets([wrongCount(metric, scope)])) panel.withTarget(target);
  return panel;
}

/** Which resources something was wrong with, and when. Empty where all was well. */
export function whichAndWhen(flags: readonly Metric[], scope: Scope): Builder<Panel> {
  return timeline(
    'Which and when',
    flags.map((flag) => whichWrong(flag, scope)),
  );
}

/** When which of the alerts were firing. Empty where none was. */
export function firingAlerts(): Builder<Panel> {
  const expr =
    'max by (alertname, severity, namespace, name, kind) (ALERTS{alertname=~"Ordinal.*",alertstate="firing"})';
  return timeline('Firing alerts', [{ expr, legend: '{{alertname}} {{kind}} {{namespace}}/{{name}}' }]);
}

function timeline(title: string, queries: readonly Query[]): Builder<Panel> {
  const panel = new StateTimelineBuilder()
    .title(title)
    .description('Empty where all was well.')
    .datasource(source)
    .noValue('All was well')
    .span(whole.span)
    .height(whole.height);
  for (const target of targets(queries)) panel.withTarget(target);
  return panel;
}

const targets = (queries: readonly Query[]): readonly DataqueryBuilder[] =>
  queries.map(({ expr, legend }, index) =>
    new DataqueryBuilder()
      .refId(String.fromCharCode(65 + index))
      .expr(expr)
      .legendFormat(legend)
      .range(),
  );
