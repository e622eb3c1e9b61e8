import { ScheduleError } from '../../cron/fields.ts';
import { isTimeZone, parseSchedule } from '../../cron/schedule.ts';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { required, unsupported, wrong } from './causes.ts';
import { jobSpecCauses } from './jobs.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft } from './model.ts';
import { label, subdomain } from './names.ts';
import { templateWarnings } from './pod.ts';
import type { KindRules } from './rules.ts';
import { part, specOf } from './spec.ts';
import { nonNegative } from './workloads.ts';

/** What a Job's name has beside that of its CronJob. */
const longestName = 52;
const policies = ['Allow', 'Forbid', 'Replace'];
const template = 'spec.jobTemplate.spec';

function cronJobCauses(object: Draft): readonly FieldCause[] {
  const spec = specOf(object);
  return [
    ...scheduleCauses(spec),
    ...nonNegative(spec, 'startingDeadlineSeconds'),
    ...zoneCauses(spec['timeZone']),
    ...(policies.includes(String(spec['concurrencyPolicy']))
      ? []
      : [unsupported('spec.concurrencyPolicy', spec['concurrencyPolicy'], policies)]),
    ...templateCauses(specOf(part(spec, 'jobTemplate'))),
    ...nonNegative(spec, 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
  ];
}

function scheduleCauses({ schedule }: JsonObject): readonly FieldCause[] {
  const field = 'spec.schedule';
  if (typeof schedule !== 'string' || schedule === '') return [required(field)];
  const mistake = scheduleError(schedule);
  return [
    ...(mistake === undefined ? [] : [wrong(field, schedule, mistake)]),
    ...(schedule.includes('TZ')
      ? [wrong(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
      : []),
  ];
}

function scheduleError(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

function zoneCauses(zone: unknown): readonly FieldCause[] {
  const field = 'spec.timeZone';
  if (typeof zone !== 'string') return [];
  if (zone === '') return [wrong(field, zone, 'timeZone must be nil or non-empty string')];
  const isName = zone.split('/').every((part) => /^(?!-)[A-Za-z.\-_0-9+]{1,14}$/.test(part) && !/^\.\.?$/.test(part));
  if (!isName) return [wrong(field, zone, `unknown time zone ${zone}`)];
  const isLocal = zone.toLowerCase() === 'local';
  const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return [
    ...(isLocal ? [wrong(field, zone, explicit)] : []),
    ...(isTimeZone(zone) || zone === 'Local' ? [] : [wrong(field, zone, `unknown time zone ${zone}`)]),
  ];
}

function templateCauses(spec: JsonObject): readonly FieldCause[] {
  const causes = jobSpecCauses(spec).map((cause) => ({ ...cause, field: cause.field.replace(/^spec/, template) }));
  return [
    ...causes,
    ...(isObject(spec['selector'])
      ? [wrong(`${template}.selector`, spec['selector'], '`selector` will be auto-generated')]
      : []),
    ...(spec['manualSelector'] === true
      ? [unsupported(`${template}.manualSelector`, spec['manualSelector'], ['nil', 'false'])]
      : []),
  ];
}

function nameCauses(object: Draft): readonly FieldCause[] {
  const { name } = metadataOf(object);
  return String(name).length > longestName
    ? [wrong('metadata.name', name, `must be no more than ${longestName} characters`)]
    : [];
}

function warnings(object: Draft): readonly string[] {
  const { name } = metadataOf(object);
  const misfits = label(String(name));
  const doubt = `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${misfits.join(' ')}]`;
  const pod = part(specOf(part(specOf(object), 'jobTemplate')), 'template');
  return [...(misfits.length > 0 ? [doubt] : []), ...templateWarnings(pod, `${template}.template`)];
}

/** What is particular to CronJobs. */
export const cronJobRules: KindRules = {
  generation: true,
  nameRule: subdomain,
  warn: warnings,
  validate: (object) => [...cronJobCauses(object), ...nameCauses(object)],
};
