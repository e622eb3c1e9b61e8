import type { ReplicaSet } from 'kubernetes-types/apps/v1.js';
import type { ReplicationController } from 'kubernetes-types/core/v1.js';
import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import { suitorsOf } from '../claim.ts';
import type { ControllerDefinition } from '../controller.ts';
import { itself, itsController } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live } from '../kinds.ts';
import { keepReplicas } from './replica-set.ts';

const kind = kinds.replicationController;
const controllers = itsController(kind);
const suitors = suitorsOf(kind, selectorOf);

/** The ReplicationController controller: as in Kubernetes, that of ReplicaSets, which sees a ReplicaSet with the same pods. */
export const replicationController: ControllerDefinition = {
  name: 'replication-controller',
  watches: [
    { kind, keys: itself },
    { kind: kinds.pod, keys: (event, store) => [...controllers(event, store), ...suitors(event, store)] },
  ],
  *reconcile({ namespace, name }, context) {
    const controller = context.store.find<ReplicationController>(kind, namespace, name);
    if (controller === undefined) return undefined;
    return yield* keepReplicas(asReplicaSet(controller), context, (status) => {
      context.store.updateStatus<ReplicationController>(kind, { ...controller, status });
    });
  },
};

function selectorOf({ spec }: Live<ReplicationController>): LabelSelector | undefined {
  return spec?.selector && { matchLabels: spec.selector };
}

function asReplicaSet(controller: Live<ReplicationController>): Live<ReplicaSet> {
  return { ...controller, spec: { ...controller.spec, selector: selectorOf(controller) ?? {} } };
}
