import { clusterRoleAggregation } from './cluster-role-aggregation.ts';
import type { ControllerDefinition } from './controller.ts';
import { cronJobController } from './cron-job/controller.ts';
import { daemonSetController } from './daemon-set/controller.ts';
import { jobController } from './job/controller.ts';
import { namespaceContentController } from './namespace-content.ts';
import { namespaceController } from './namespace.ts';
import { endpointSliceController } from './network/endpoint-slices.ts';
import { endpointsController } from './network/endpoints.ts';
import { mirroringController } from './network/mirrored-slices.ts';
import { nodeLifecycleController } from './node-lifecycle.ts';
import { podGarbageController } from './pod-gc.ts';
import { podScheduler } from './scheduling/pod-scheduler.ts';
import { disruptionController } from './policy/disruption-budget.ts';
import { resourceQuotaController } from './policy/resource-quota.ts';
import { statefulSetController } from './stateful-set/controller.ts';
import { claimBinder, volumeReclaimer } from './storage/binder.ts';
import { claimProtection, volumeProtection } from './storage/protection.ts';
import { deploymentController } from './workload/deployment.ts';
import { replicaSetController } from './workload/replica-set.ts';
import { replicationController } from './workload/replication-controller.ts';

/** What controllers need beyond the API. */
export interface ControllerSurroundings {
  /** The data of a persistent volume is thrown away. */
  readonly discard: (volume: string) => void;
  /** Since when a node is not heard of; undefined while it is. */
  readonly silentSince: (node: string) => number | undefined;
  /** Whether Services get Endpoints and EndpointSlices. */
  readonly endpoints: boolean;
  /** Whether there are cluster roles that gather others. */
  readonly rbac: boolean;
}

/** The controllers that a cluster runs. */
export function builtinControllers({
  discard,
  silentSince,
  endpoints,
  rbac,
}: ControllerSurroundings): readonly ControllerDefinition[] {
  return [
    claimBinder,
    claimProtection,
    ...(rbac ? [clusterRoleAggregation] : []),
    cronJobController,
    daemonSetController(),
    deploymentController,
    disruptionController,
    ...(endpoints ? [endpointSliceController, endpointsController, mirroringController] : []),
    jobController,
    namespaceContentController,
    namespaceController,
    nodeLifecycleController(silentSince),
    podGarbageController,
    podScheduler(),
    replicaSetController,
    replicationController,
    resourceQuotaController,
    statefulSetController,
    volumeProtection,
    volumeReclaimer(discard),
  ];
}
