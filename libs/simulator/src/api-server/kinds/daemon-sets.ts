import { sameJson } from '@ordinal/client';
import type { StoredObject } from '../object.ts';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';
import type { FieldCause } from '../status.ts';
import { refused, required, unsupported, wrong } from './causes.ts';
import { metadataOf } from './metadata-rules.ts';
import type { Draft } from './model.ts';
import { subdomain } from './names.ts';
import { templateCauses, templateWarnings } from './pod.ts';
import { amountCauses, isPercent } from './policies.ts';
import type { KindRules } from './rules.ts';
import { part, specOf } from './spec.ts';
import { nonNegative, selectorCauses, selectorUpdate } from './workloads.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';

/** A DaemonSet with the number of its template's changes, which only the server counts. */
function withTemplateGeneration(object: Draft, count: number): Draft {
  const metadata = metadataOf(object);
  const annotations = { ...part(metadata, 'annotations'), [generationAnnotation]: String(count) };
  return { ...object, metadata: { ...metadata, annotations } };
}

function countedTemplate(object: Draft, old: StoredObject): Draft {
  const before = old as unknown as JsonObject;
  const count = Number(part(metadataOf(before), 'annotations')[generationAnnotation] ?? 0);
  const isSame = sameJson(specOf(object)['template'], specOf(before)['template']);
  return withTemplateGeneration(object, isSame ? count : count + 1);
}

function deadlineCauses({ activeDeadlineSeconds }: JsonObject): readonly FieldCause[] {
  const field = 'spec.template.spec.activeDeadlineSeconds';
  return activeDeadlineSeconds === undefined
    ? []
    : [refused(field, 'activeDeadlineSeconds in DaemonSet is not Supported')];
}

function strategyCauses({ type, rollingUpdate }: JsonObject): readonly FieldCause[] {
  const field = 'spec.updateStrategy';
  if (type === 'OnDelete') return [];
  const internal = { Type: type, RollingUpdate: rollingUpdate ?? null };
  if (type !== 'RollingUpdate') return [unsupported(field, internal, ['RollingUpdate', 'OnDelete'])];
  if (!isObject(rollingUpdate)) return [required(`${field}.rollingUpdate`)];
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  const amounts = [
    [`${field}.rollingUpdate.maxUnavailable`, maxUnavailable],
    [`${field}.rollingUpdate.maxSurge`, maxSurge],
  ] as const;
  const [isMissing, isSurging] = [Number.parseInt(String(maxUnavailable), 10), Number.parseInt(String(maxSurge), 10)];
  return [
    ...amounts.flatMap(([name, amount]) => amountCauses(name, amount)),
    ...amounts.flatMap(([name, amount]) =>
      isPercent(amount) && Number.parseInt(amount, 10) > 100
        ? [wrong(name, amount, 'must not be greater than 100%')]
        : [],
    ),
    ...(isMissing && isSurging
      ? [wrong(amounts[1][0], maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(isMissing || isSurging ? [] : [required(amounts[0][0], 'cannot be 0 when maxSurge is 0')]),
  ];
}

/** What is particular to DaemonSets. */
export const daemonSetRules: KindRules = {
  generation: true,
  create: (object) => withTemplateGeneration(object, 1),
  update: countedTemplate,
  warn: (object) => templateWarnings(part(specOf(object), 'template'), 'spec.template'),
  nameRule: subdomain,
  validate: (object) => [
    ...selectorCauses(specOf(object), 'daemonset'),
    ...templateCauses(part(specOf(object), 'template'), 'spec.template'),
    ...deadlineCauses(specOf(part(specOf(object), 'template'))),
    ...nonNegative(specOf(object), 'minReadySeconds'),
    ...strategyCauses(part(specOf(object), 'updateStrategy')),
    ...nonNegative(specOf(object), 'revisionHistoryLimit'),
  ],
  validateUpdate: selectorUpdate,
};
