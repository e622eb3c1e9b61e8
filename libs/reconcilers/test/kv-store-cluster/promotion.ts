import { kvStoreClusters } from '@ordinal/api';
import type { StatefulSet } from '@ordinal/client';
import type { Invariant } from '@ordinal/testing';
import { promoteAnnotation } from '../../src/kv-store-cluster/index.ts';

/** Of histories of three members at least, the last of which is the canary: before somebody promotes the very version, no other one may follow it. */
export const promotionIsAwaited: Invariant = {
  name: 'nobody follows a canary that was not promoted (I2)',
  afterChange: (cluster, { kind, type, object }) => {
    if (kind !== 'statefulsets.apps' || type === 'DELETED') return undefined;
    const { spec } = object as StatefulSet; // Of this kind.
    const store = cluster.objects.find(kvStoreClusters, 'default', 'orders');
    const running = store?.status?.currentVersion;
    const applied = spec.template.spec?.containers[0]?.image?.split(':')[1];
    if (!store || running === undefined || applied === running) return undefined;
    const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
    return partition < 2 && store.metadata.annotations?.[promoteAnnotation] !== applied
      ? `members from ${partition} on may run ${applied ?? 'another image'}, and nobody has promoted it`
      : undefined;
  },
};
