import type { PersistentVolume, PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import type { StorageClass } from 'kubernetes-types/storage/v1.js';
import type { ControllerContext, ControllerDefinition } from '../controller.ts';
import { itself } from '../controller.ts';
import { kinds } from '../kinds.ts';
import type { Live, LiveClaim } from '../kinds.ts';
import { isTerminating } from '../owner.ts';

const defaultClassAnnotation = 'storageclass.kubernetes.io/is-default-class';
const provisionedBy = 'pv.kubernetes.io/provisioned-by';

/** Binds claims to volumes that it provisions, and expands both where the class allows that. */
export const claimBinder: ControllerDefinition = {
  name: 'persistent-volume-binder',
  watches: [
    { kind: kinds.persistentVolumeClaim, keys: itself },
    {
      kind: kinds.storageClass,
      keys: (_, store) =>
        store.list<PersistentVolumeClaim>(kinds.persistentVolumeClaim).filter(isUnbound).map(keyOfClaim),
    },
  ],
  reconcile: ({ namespace, name }, context) => {
    const claim = context.store.find<PersistentVolumeClaim>(kinds.persistentVolumeClaim, namespace, name);
    if (claim === undefined || isTerminating(claim)) return undefined;
    if (isUnbound(claim)) provision(claim, context);
    else expand(claim, context);
    return undefined;
  },
};

/** Removes volumes whose claim is gone, where their reclaim policy says so, and marks the others as released. */
export function volumeReclaimer(discard: (volume: string) => void): ControllerDefinition {
  return {
    name: 'persistent-volume-binder',
    watches: [
      { kind: kinds.persistentVolume, keys: itself },
      { kind: kinds.persistentVolumeClaim, keys: ({ object }) => volumeOf(object) },
    ],
    reconcile: ({ name }, { store }) => {
      const volume = store.find<PersistentVolume>(kinds.persistentVolume, '', name);
      const claimed = volume?.spec?.claimRef;
      if (volume === undefined || claimed?.uid === undefined || isTerminating(volume)) return undefined;
      const claim = store.find<PersistentVolumeClaim>(
        kinds.persistentVolumeClaim,
        claimed.namespace ?? '',
        claimed.name ?? '',
      );
      if (claim?.metadata.uid === claimed.uid) return undefined;
      if (volume.spec?.persistentVolumeReclaimPolicy === 'Delete') {
        store.delete(kinds.persistentVolume, volume);
        discard(name);
      } else if (volume.status?.phase !== 'Released') {
        store.updateStatus<PersistentVolume>(kinds.persistentVolume, {
          ...volume,
          status: { ...volume.status, phase: 'Released' },
        });
      }
      return undefined;
    },
  };
}

const keyOfClaim = ({ metadata }: LiveClaim): { namespace: string; name: string } => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

function isUnbound(claim: LiveClaim): boolean {
  return claim.status?.phase !== 'Bound';
}

function volumeOf(claim: LiveClaim): readonly { namespace: string; name: string }[] {
  const name = claim.spec?.volumeName ?? '';
  return name === '' ? [] : [{ namespace: '', name }];
}

function classOf(claim: LiveClaim, { store }: ControllerContext): Live<StorageClass> | undefined {
  const name = claim.spec?.storageClassName;
  if (name !== undefined) return store.find<StorageClass>(kinds.storageClass, '', name);
  return store
    .list<StorageClass>(kinds.storageClass)
    .find(({ metadata }) => metadata.annotations?.[defaultClassAnnotation] === 'true');
}

function provision(claim: LiveClaim, context: ControllerContext): void {
  const { store, event } = context;
  const { spec } = claim;
  const existing = store
    .list<PersistentVolume>(kinds.persistentVolume)
    .find((volume) =>
      spec?.volumeName ? volume.metadata.name === spec.volumeName : volume.spec?.claimRef?.uid === claim.metadata.uid,
    );
  if (existing !== undefined) {
    bind(claim, existing, context);
    return;
  }
  if ((spec?.volumeName ?? '') !== '') return;
  const storageClass = classOf(claim, context);
  if (storageClass === undefined) {
    const wanted = spec?.storageClassName;
    const message =
      wanted === undefined
        ? 'no persistent volumes available for this claim and no storage class is set'
        : `storageclass.storage.k8s.io "${wanted}" not found`;
    event(claim, wanted === undefined ? 'Normal' : 'Warning', [
      wanted === undefined ? 'FailedBinding' : 'ProvisioningFailed',
      message,
    ]);
    return;
  }
  const { name, namespace = '', uid, resourceVersion } = claim.metadata;
  const volume = store.create<PersistentVolume>(kinds.persistentVolume, {
    metadata: { name: `pvc-${uid}`, annotations: { [provisionedBy]: storageClass.provisioner } },
    spec: {
      accessModes: spec?.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: requested(claim) },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      hostPath: { path: `/simulated/pvc-${uid}` },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      volumeMode: spec?.volumeMode ?? 'Filesystem',
    },
  });
  event(claim, 'Normal', ['ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata.name}`]);
  bind(claim, volume, context);
}

function bind(claim: LiveClaim, volume: Live<PersistentVolume>, { store }: ControllerContext): void {
  const annotations = {
    ...claim.metadata.annotations,
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  };
  const bound = store.update<PersistentVolumeClaim>(kinds.persistentVolumeClaim, {
    ...claim,
    metadata: { ...claim.metadata, annotations },
    spec: { ...claim.spec, volumeName: volume.metadata.name },
  });
  if (volume.status?.phase !== 'Bound') {
    store.updateStatus<PersistentVolume>(kinds.persistentVolume, {
      ...volume,
      status: { ...volume.status, phase: 'Bound' },
    });
  }
  store.updateStatus<PersistentVolumeClaim>(kinds.persistentVolumeClaim, {
    ...bound,
    status: {
      ...bound.status,
      phase: 'Bound',
      ...(volume.spec?.accessModes && { accessModes: volume.spec.accessModes }),
      ...(volume.spec?.capacity && { capacity: volume.spec.capacity }),
    },
  });
}

/** Grows the volume to what its claim asks for; the server has refused what the class does not allow. */
function expand(claim: LiveClaim, context: ControllerContext): void {
  const { store, event } = context;
  const wanted = requested(claim);
  if (claim.status?.capacity?.storage === wanted || classOf(claim, context)?.allowVolumeExpansion !== true) return;
  const volume = store.find<PersistentVolume>(kinds.persistentVolume, '', claim.spec?.volumeName ?? '');
  if (volume === undefined) return;
  store.update<PersistentVolume>(kinds.persistentVolume, {
    ...volume,
    spec: { ...volume.spec, capacity: { ...volume.spec?.capacity, storage: wanted } },
  });
  store.updateStatus<PersistentVolumeClaim>(kinds.persistentVolumeClaim, {
    ...claim,
    status: { ...claim.status, capacity: { ...claim.status?.capacity, storage: wanted } },
  });
  event(claim, 'Normal', ['FileSystemResizeSuccessful', `volume ${volume.metadata.name} has ${wanted}`]);
}

function requested(claim: LiveClaim): string {
  const storage: unknown = claim.spec?.resources?.requests?.storage;
  return typeof storage === 'string' || typeof storage === 'number' ? String(storage) : '1Gi';
}
