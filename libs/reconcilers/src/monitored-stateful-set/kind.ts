import { monitoredStatefulSets } from '@ordinal/api';
import type { MonitoredStatefulSet } from '@ordinal/api';
import { jobs, namespaces, pods, statefulSets } from '@ordinal/client';
import { controllerOf } from '@ordinal/client';
import type { Job, ObjectKey, Pod, StatefulSet } from '@ordinal/client';
import { cleanupForLabel, taskOfLabel, templateHashAnnotation } from '@ordinal/constructs';
import { secretProtection, watchedSecrets } from '@ordinal/lifecycle';
import { controller, mapByIndex, mapTo, withAnnotations, withFields } from '@ordinal/runtime';
import type { ControllerDefinition, Handler } from '@ordinal/runtime';
import { readOfAdopted } from '../adoption/obstacle.ts';
import { previousTemplateAnnotation, readOfJobs } from '../annotations.ts';
import type { Kind } from '../kind.ts';
import { appliedSpecAnnotation } from './children.ts';
import { secretsNeeded } from './credentials.ts';
import { monitoredStatefulSetGauges, monitoredStatefulSetMetrics } from './metrics.ts';
import { MonitoredStatefulSetReconciler } from './reconcile.ts';
import type { MonitoredStatefulSetOptions } from './reconcile.ts';
import { monitoredStatefulSetWebhook } from './webhook.ts';

/** What the operator writes of a StatefulSet to read it again. */
const ownAnnotations = [appliedSpecAnnotation, templateHashAnnotation, previousTemplateAnnotation];

/** The controllers of MonitoredStatefulSet: the one that runs and registers sets, and the one that keeps their monitors' Secrets as long as they are needed. */
export function monitoredStatefulSetControllers(options: MonitoredStatefulSetOptions): readonly ControllerDefinition[] {
  const reconciler = new MonitoredStatefulSetReconciler(options);
  const sets = controller('monitored-stateful-set')
    .for(monitoredStatefulSets, {
      indexes: {
        byCredentials: (set) => secretsNeeded(set).map((name) => `${set.metadata.namespace ?? ''}/${name}`),
      },
    })
    .watches(withAnnotations(statefulSets, [...ownAnnotations, ...readOfAdopted]), namesake)
    .watches(withAnnotations(jobs, readOfJobs), mapTo(setOfJob))
    .watches(withAnnotations(pods, []), mapTo(setOfPod))
    .watches(watchedSecrets, mapByIndex('byCredentials'))
    .writes(monitoredStatefulSets, ['patch'])
    .writes(monitoredStatefulSets, ['patch'], 'status')
    .writes(monitoredStatefulSets, ['update'], 'finalizers')
    .writes(statefulSets, ['create', 'patch'])
    .writes(jobs, ['create', 'patch', 'delete'])
    .writes(namespaces, ['get'])
    .writes(pods, ['list', 'delete'])
    .writes(pods, ['get', 'create'], 'exec')
    .writes(pods, ['get', 'create'], 'proxy')
    .writes(pods, ['get'], 'log')
    .options({ concurrency: 5, timeoutMs: 60_000, ...options.controller })
    .reconcile((key, context) => reconciler.reconcile(key, context));
  const protection = secretProtection('monitored-stateful-set-secrets', {
    descriptor: withFields(monitoredStatefulSets, ['spec.credentialsSecretRef', 'status.registrations']),
    secretNames: secretsNeeded,
  });
  return [sets, protection];
}

/** The StatefulSet has the set's name, also where another owner has it: when that one is gone, the name is free. */
const namesake: Handler<StatefulSet> = ({ metadata }, { primary, cache }) => {
  const key = { namespace: metadata.namespace ?? '', name: metadata.name };
  return cache.get(primary, key) === undefined ? [] : [key];
};

/** A Job wakes the set whose it is; one that cleans up has no owner reference, and the instance's label. */
const setOfJob = (job: Job): ObjectKey[] => {
  const { namespace = '', labels = {} } = job.metadata;
  const controller = controllerOf(job);
  const owner = controller?.kind === monitoredStatefulSets.kind ? controller.name : undefined;
  const name = labels[cleanupForLabel] === undefined ? owner : labels['app.kubernetes.io/instance'];
  return name === undefined ? [] : [{ namespace, name }];
};

/** A pod wakes the set of the StatefulSet that controls it, and one of a Job the set that it works for. */
const setOfPod = (pod: Pod): ObjectKey[] => {
  const { namespace = '', labels = {} } = pod.metadata;
  const controller = controllerOf(pod);
  const name = controller?.kind === statefulSets.kind ? controller.name : labels[taskOfLabel];
  return name === undefined ? [] : [{ namespace, name }];
};

/** MonitoredStatefulSet: a StatefulSet that is registered with a monitoring service. */
export const monitoredStatefulSetKind: Kind<MonitoredStatefulSet> = {
  name: 'monitored-stateful-set',
  descriptor: monitoredStatefulSets,
  controllers: monitoredStatefulSetControllers,
  webhook: monitoredStatefulSetWebhook,
  metrics: { gauges: monitoredStatefulSetGauges, samples: monitoredStatefulSetMetrics },
};
