import { items, part, specOf } from '../kinds/spec.ts';
import type { JsonObject } from '../request.ts';
import { selectorText } from '../subresources/scale-form.ts';
import { age, ageColumn, count, integer, metadata, none, podPart, status, text } from './column.ts';
import type { Column } from './column.ts';

const boolean = (name: string, cell: Column['cell']): Column => ({ name, type: 'boolean', priority: 0, cell });

/** Labels as `a=b,c=d`. */
const labelText = (labels: unknown): string =>
  none(
    Object.entries((labels ?? {}) as Readonly<Record<string, string>>)
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(','),
  );

/** The template of a CronJob's pods stands deeper than that of others. */
const ofJobs = (column: Column): Column => ({
  ...column,
  cell: (cron, now) => column.cell({ spec: specOf(part(specOf(cron), 'jobTemplate')) }, now),
});

const containers = (template: JsonObject, field: 'name' | 'image'): string =>
  items(specOf(part(template, 'template'))['containers'])
    .map((container) => String(container[field]))
    .join(',');

/** Kinds that have no columns of their own show when they were made. */
const createdColumn: Column = {
  name: 'Created At',
  type: 'date',
  priority: 0,
  cell: (object) => metadata(object)['creationTimestamp'],
};

const webhookColumns: readonly Column[] = [
  integer('Webhooks', (configuration) => items(configuration['webhooks']).length),
  ageColumn,
];

/** What is used of a quota's limits, or of all else that it counts. */
function quotaUse(quota: JsonObject, isLimit: boolean): string {
  const { hard = {}, used = {} } = status(quota) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === isLimit)
    .sort()
    .map((name) => `${name}: ${used[name] ?? '0'}/${String(hard[name])}`)
    .join(', ');
}

/** The columns of kinds that are rarely read, between the name and the age. */
export const otherColumns: Readonly<Record<string, readonly Column[]>> = {
  'cronjobs.batch': [
    text('Schedule', (cron) => specOf(cron)['schedule']),
    text('Timezone', (cron) => none(specOf(cron)['timeZone'])),
    boolean('Suspend', (cron) => (specOf(cron)['suspend'] === true ? 'True' : 'False')),
    integer('Active', (cron) => items(status(cron)['active']).length),
    text('Last Schedule', (cron, now) => {
      const last = status(cron)['lastScheduleTime'];
      return last === undefined ? '<none>' : age(last, now);
    }),
    ageColumn,
    ...podPart.map(ofJobs),
    text('Selector', (cron) => none(selectorText(specOf(part(specOf(cron), 'jobTemplate'))['selector'])), 1),
  ],
  'daemonsets.apps': [
    integer('Desired', (set) => count(status(set)['desiredNumberScheduled'])),
    integer('Current', (set) => count(status(set)['currentNumberScheduled'])),
    integer('Ready', (set) => count(status(set)['numberReady'])),
    integer('Up-to-date', (set) => count(status(set)['updatedNumberScheduled'])),
    integer('Available', (set) => count(status(set)['numberAvailable'])),
    text('Node Selector', (set) => labelText(specOf(part(specOf(set), 'template'))['nodeSelector'])),
    ageColumn,
    ...podPart,
    text('Selector', (set) => selectorText(specOf(set)['selector']), 1),
  ],
  resourcequotas: [
    text('Request', (quota) => quotaUse(quota, false)),
    text('Limit', (quota) => quotaUse(quota, true)),
    ageColumn,
  ],
  limitranges: [createdColumn],
  podtemplates: [
    text('Containers', (template) => containers(template, 'name')),
    text('Images', (template) => containers(template, 'image')),
    text('Pod Labels', (template) => labelText(metadata(part(template, 'template'))['labels'])),
  ],
  'storageclasses.storage.k8s.io': [
    text('Provisioner', (storage) => storage['provisioner']),
    text('ReclaimPolicy', (storage) => storage['reclaimPolicy']),
    text('VolumeBindingMode', (storage) => storage['volumeBindingMode']),
    text('AllowVolumeExpansion', (storage) => storage['allowVolumeExpansion'] ?? false),
    ageColumn,
  ],
  'priorityclasses.scheduling.k8s.io': [
    integer('Value', (priority) => priority['value']),
    boolean('Global-Default', (priority) => priority['globalDefault'] ?? false),
    ageColumn,
    text('PreemptionPolicy', (priority) => priority['preemptionPolicy']),
  ],
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookColumns,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookColumns,
};
