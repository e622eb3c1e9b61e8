import { isObject } from '../../object.ts';
import type { JsonObject } from '../../request.ts';
import { filled } from './filled.ts';
import type { Defaults } from './filled.ts';

function request(value: JsonObject): JsonObject {
  const mode = value['allocationMode'] ?? 'ExactCount';
  const isCounted = mode === 'ExactCount' && (value['count'] === undefined || value['count'] === 0);
  return filled(value, { allocationMode: 'ExactCount', ...(isCounted && { count: 1 }) });
}

const queuing = (value: JsonObject): JsonObject => filled(value, { handSize: 8, queues: 64, queueLengthLimit: 50 });

const driver = (value: JsonObject): JsonObject =>
  filled(value, {
    attachRequired: true,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    podInfoOnMount: false,
    requiresRepublish: false,
    seLinuxMount: false,
    storageCapacity: false,
    volumeLifecycleModes: ['Persistent'],
  });

const usualMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

function autoscaler(value: JsonObject): JsonObject {
  const metrics = Array.isArray(value['metrics']) && value['metrics'].length > 0 ? value['metrics'] : [usualMetric];
  return { ...filled(value, { minReplicas: 1 }), metrics };
}

/** Defaults of devices, autoscalers, drivers of storage, flow control and registered API servers. */
export const controlPlaneDefaults: Defaults = {
  'io.k8s.api.resource.v1.ExactDeviceRequest': request,
  'io.k8s.api.resource.v1.DeviceSubRequest': request,
  'io.k8s.api.flowcontrol.v1.FlowSchemaSpec': (value) => filled(value, { matchingPrecedence: 1000 }),
  'io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration': (value) =>
    filled(value, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
  'io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration': (value) =>
    filled(value, { nominalConcurrencyShares: 30, lendablePercent: 0 }),
  'io.k8s.api.flowcontrol.v1.QueuingConfiguration': queuing,
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': (value) => filled(value, { minReplicas: 1 }),
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': autoscaler,
  'io.k8s.api.storage.v1.CSIDriverSpec': driver,
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec': (value) =>
    isObject(value['service']) ? { ...value, service: filled(value['service'], { port: 443 }) } : value,
};
