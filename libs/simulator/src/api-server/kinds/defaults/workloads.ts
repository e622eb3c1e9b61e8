import { isObject } from '../../object.ts';
import type { JsonObject } from '../../request.ts';
import { filled } from './filled.ts';
import type { Defaults } from './filled.ts';

/** Changes an object's spec. */
const inSpec =
  (change: (spec: JsonObject) => JsonObject) =>
  (value: JsonObject): JsonObject => {
    const spec = isObject(value['spec']) ? value['spec'] : {};
    const next = change(spec);
    return next === value['spec'] ? value : { ...value, spec: next };
  };

function statefulSetSpec(spec: JsonObject): JsonObject {
  const given = isObject(spec['updateStrategy']) ? spec['updateStrategy'] : {};
  const unnamed = given['type'] === undefined || given['type'] === '';
  const named = unnamed ? { rollingUpdate: {}, ...given, type: 'RollingUpdate' } : given;
  const rolling = named['rollingUpdate'];
  const updateStrategy =
    named['type'] === 'RollingUpdate' && isObject(rolling)
      ? { ...named, rollingUpdate: filled(rolling, { partition: 0 }) }
      : named;
  const retention = isObject(spec['persistentVolumeClaimRetentionPolicy'])
    ? spec['persistentVolumeClaimRetentionPolicy']
    : {};
  return {
    ...filled(spec, { podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 }),
    updateStrategy,
    ...(Array.isArray(spec['volumeClaimTemplates']) && {
      volumeClaimTemplates: spec['volumeClaimTemplates'].map((claim: unknown) =>
        isObject(claim) ? filled(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' }) : claim,
      ),
    }),
    persistentVolumeClaimRetentionPolicy: filled(retention, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
  };
}

function rollingStrategy(strategy: unknown, defaults: JsonObject): JsonObject {
  const named = filled(isObject(strategy) ? strategy : {}, { type: 'RollingUpdate' });
  if (named['type'] !== 'RollingUpdate') return named;
  return { ...named, rollingUpdate: filled(isObject(named['rollingUpdate']) ? named['rollingUpdate'] : {}, defaults) };
}

const deploymentSpec = (spec: JsonObject): JsonObject => ({
  ...filled(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
  strategy: rollingStrategy(spec['strategy'], { maxUnavailable: '25%', maxSurge: '25%' }),
});

const daemonSetSpec = (spec: JsonObject): JsonObject => ({
  ...filled(spec, { revisionHistoryLimit: 10 }),
  updateStrategy: rollingStrategy(spec['updateStrategy'], { maxUnavailable: 1, maxSurge: 0 }),
});

/** Each write says how often its template has changed, if only that it never has; the server counts it. */
function withTemplateGeneration(value: JsonObject): JsonObject {
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const given = isObject(metadata['annotations']) ? metadata['annotations'] : {};
  const annotations = { 'deprecated.daemonset.template.generation': '0', ...given };
  return { ...value, metadata: { ...metadata, annotations } };
}

const templateLabels = (spec: JsonObject): JsonObject | undefined => {
  const template = spec['template'];
  const metadata = isObject(template) ? template['metadata'] : undefined;
  const labels = isObject(metadata) ? metadata['labels'] : undefined;
  return isObject(labels) && Object.keys(labels).length > 0 ? labels : undefined;
};

function job(value: JsonObject): JsonObject {
  const spec = isObject(value['spec']) ? value['spec'] : {};
  const neither = spec['completions'] === undefined && spec['parallelism'] === undefined;
  const next = filled(spec, {
    ...(neither && { completions: 1 }),
    parallelism: 1,
    backoffLimit: spec['backoffLimitPerIndex'] === undefined ? 6 : 2147483647,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const labels =
    isObject(metadata['labels']) && Object.keys(metadata['labels']).length > 0
      ? metadata['labels']
      : templateLabels(spec);
  return { ...value, spec: next, ...(labels && { metadata: { ...metadata, labels } }) };
}

/** Its selector and labels are those of its template. */
function replicationController(value: JsonObject): JsonObject {
  const spec = isObject(value['spec']) ? value['spec'] : {};
  const labels = templateLabels(spec);
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const next = filled({ ...spec, ...(labels && isEmpty(spec['selector']) && { selector: labels }) }, { replicas: 1 });
  return { ...value, spec: next, ...(labels && isEmpty(metadata['labels']) && { metadata: { ...metadata, labels } }) };
}

const isEmpty = (labels: unknown): boolean => !isObject(labels) || Object.keys(labels).length === 0;

/** Defaults of the kinds that make pods. */
export const workloadDefaults: Defaults = {
  'io.k8s.api.apps.v1.StatefulSet': inSpec(statefulSetSpec),
  'io.k8s.api.apps.v1.Deployment': inSpec(deploymentSpec),
  'io.k8s.api.apps.v1.DaemonSet': (value) => withTemplateGeneration(inSpec(daemonSetSpec)(value)),
  'io.k8s.api.apps.v1.ReplicaSet': inSpec((spec) => filled(spec, { replicas: 1 })),
  'io.k8s.api.core.v1.ReplicationController': replicationController,
  'io.k8s.api.batch.v1.Job': job,
  'io.k8s.api.batch.v1.CronJob': inSpec((spec) =>
    filled(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
  ),
  'io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern': (value) => filled(value, { status: 'True' }),
};
