import type { Metric } from './served.ts';

/** One line of a panel, or several that differ in their labels. */
export interface Query {
  /** PromQL, with the variables of the dashboard. */
  readonly expr: string;
  /** What a line is called, with its labels in double braces. */
  readonly legend: string;
}

/** What the queries of a dashboard are about: matchers of labels, such as `kind="ClusteredCache"`. */
export type Scope = (metric: Metric) => readonly string[];

/** What a panel of the metric asks: how often a counter went up in a second, how large a gauge is, how long half and nearly all took. */
export function queriesOf(metric: Metric, scope: Scope): readonly Query[] {
  const { name, type } = metric;
  const by = groupingOf(metric);
  const legend = legendOf(by);
  const selector = selectorOf(scope(metric));
  if (type === 'counter')
    return [{ expr: `sum by (${by.join(', ')}) (rate(${name}${selector}[$__rate_interval]))`, legend }];
  if (type === 'gauge') {
    const newest = `max by (${by.join(', ')}) (${name}${selector})`;
    return [{ expr: isDate(metric) ? `time() - ${newest}` : newest, legend }];
  }
  const buckets = `sum by (${['le', ...by].join(', ')}) (rate(${name}_bucket${selector}[$__rate_interval]))`;
  return [0.5, 0.99].map((share) => ({
    expr: `histogram_quantile(${share}, ${buckets})`,
    legend: `${legend} p${share * 100}`,
  }));
}

/** Of how many resources a gauge says 1 where that is bad, or 0 where 1 is good. Every resource is counted: there is a number where nothing is wrong. */
export function wrongCount(metric: Metric, scope: Scope): Query {
  const { name } = metric;
  const each = `max by (${groupingOf(metric).join(', ')}) (${name}${selectorOf(scope(metric))})`;
  return { expr: `sum(${each} == bool ${wrongValue(metric)})`, legend: 'resources' };
}

/** Which resources a gauge says that of. */
export function whichWrong(metric: Metric, scope: Scope): Query {
  const by = groupingOf(metric);
  const expr = `max by (${by.join(', ')}) (${metric.name}${selectorOf(scope(metric))}) == ${wrongValue(metric)}`;
  return { expr, legend: `${legendOf(by)} ${titleOf(metric).toLowerCase()}` };
}

/** Whether a gauge is 0 or 1. */
export const isFlag = ({ type, help }: Metric): boolean => type === 'gauge' && help.startsWith('1 ');

/** Whether a gauge is a time in seconds since 1970. */
const isDate = ({ name }: Metric): boolean => /_(timestamp|start_time)_seconds$/.test(name);

/** Of these flags a 1 says that all is well. */
const wrongValue = ({ name }: Metric): 0 | 1 => (/_(registered|reachable)$/.test(name) ? 0 : 1);

/** By which labels the lines of a metric differ: its own. One without labels has a line for each process. */
const groupingOf = ({ labels }: Metric): readonly string[] => (labels.length > 0 ? labels : ['instance']);

/** What a line is called: a resource as `namespace/name`. */
function legendOf(by: readonly string[]): string {
  const words = by.map((label) => `{{${label}}}`).join(' ');
  return words.replace('{{namespace}} {{name}}', '{{namespace}}/{{name}}');
}

const selectorOf = (matchers: readonly string[]): string => `{${['job=~"$job"', ...matchers].join(',')}}`;

/** The name of a metric in words, without the program's prefix. */
export function titleOf({ name, type }: Metric): string {
  const words = name
    .replace(/^ordinal_(clusteredcache|kvstorecluster|monitoredstatefulset|clouddatabase)_/, '')
    .replace(/^(ordinal|operator|controller_runtime)_/, '')
    .replace(/_timestamp_seconds$/, '_age')
    .replace(/_start_time_seconds$/, '_age')
    .replace(/_total$/, type === 'counter' ? '_rate' : '')
    .replace(/_seconds(?=$|_rate$)/, '')
    .replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Grafana's name of the unit. */
export function unitOf({ name, type }: Metric): string {
  if (name.endsWith('_seconds_total')) return 'percentunit';
  if (type === 'counter') return 'cps';
  if (name.endsWith('_seconds')) return 's';
  if (name.endsWith('_bytes')) return 'bytes';
  return name.endsWith('_ratio') ? 'percentunit' : 'short';
}
