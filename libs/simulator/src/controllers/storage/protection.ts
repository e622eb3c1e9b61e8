import type { PersistentVolume, PersistentVolumeClaim, Pod } from 'kubernetes-types/core/v1.js';
import type { ControllerDefinition } from '../controller.ts';
import { itself } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { LivePod } from '../kinds.ts';
import { isTerminating } from '../owner.ts';

const claimFinalizer = 'kubernetes.io/pvc-protection';
const volumeFinalizer = 'kubernetes.io/pv-protection';

/** Keeps a claim that is being deleted for as long as a pod on a node uses it. */
export const claimProtection: ControllerDefinition = {
  name: 'pvc-protection-controller',
  watches: [
    { kind: kinds.persistentVolumeClaim, keys: itself },
    {
      kind: kinds.pod,
      keys: ({ object }) => claimsOf(object).map((name) => ({ namespace: object.metadata.namespace ?? '', name })),
    },
  ],
  reconcile: ({ namespace, name }, { store }) => {
    const claim = store.find<PersistentVolumeClaim>(kinds.persistentVolumeClaim, namespace, name);
    if (claim === undefined) return undefined;
    const finalizers = claim.metadata.finalizers ?? [];
    if (!isTerminating(claim)) {
      if (finalizers.includes(claimFinalizer)) return undefined;
      store.update(kinds.persistentVolumeClaim, {
        ...claim,
        metadata: { ...claim.metadata, finalizers: [...finalizers, claimFinalizer] },
      });
      return undefined;
    }
    if (!finalizers.includes(claimFinalizer)) return undefined;
    const isUsed = store
      .list<Pod>(kinds.pod, namespace)
      .some((pod) => (pod.spec?.nodeName ?? '') !== '' && claimsOf(pod).includes(name));
    if (isUsed) return undefined;
    const rest = finalizers.filter((finalizer) => finalizer !== claimFinalizer);
    store.update(kinds.persistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, finalizers: rest } });
    return undefined;
  },
};

/** Keeps a volume that is being deleted for as long as it is bound. */
export const volumeProtection: ControllerDefinition = {
  name: 'pv-protection-controller',
  watches: [{ kind: kinds.persistentVolume, keys: itself }],
  reconcile: ({ name }, { store }) => {
    const volume = store.find<PersistentVolume>(kinds.persistentVolume, '', name);
    const finalizers = volume?.metadata.finalizers ?? [];
    if (volume === undefined || !isTerminating(volume) || !finalizers.includes(volumeFinalizer)) return undefined;
    const claimed = volume.spec?.claimRef;
    const claim = store.find<PersistentVolumeClaim>(
      kinds.persistentVolumeClaim,
      claimed?.namespace ?? '',
      claimed?.name ?? '',
    );
    if (claim !== undefined && claim.metadata.uid === claimed?.uid) return undefined;
    const rest = finalizers.filter((finalizer) => finalizer !== volumeFinalizer);
    store.update(kinds.persistentVolume, { ...volume, metadata: { ...volume.metadata, finalizers: rest } });
    return undefined;
  },
};

function claimsOf(pod: LivePod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
