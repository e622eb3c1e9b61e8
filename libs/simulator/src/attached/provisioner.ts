import type { PersistentVolume, PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import type { StorageClass } from 'kubernetes-types/storage/v1.js';
import type { ControllerContext, ControllerDefinition } from '../controllers/controller.ts';
import { itself } from '../controllers/controller.ts';
import type { Live, LiveClaim } from '../controllers/kinds.ts';
import { kinds } from '../controllers/kinds.ts';
import { isTerminating } from '../controllers/owner.ts';

/** What makes, grows and removes volumes for the classes of storage that no part of a control plane serves, as drivers do. Binding is the control plane's. */
export function volumeProvisioner(discard: (volume: string) => void): ControllerDefinition {
  return {
    name: 'volume-provisioner',
    watches: [
      { kind: kinds.persistentVolumeClaim, keys: itself },
      { kind: kinds.persistentVolume, keys: itself },
    ],
    reconcile: ({ namespace, name }, context) => {
      if (namespace === '') reclaim(name, context, discard);
      else serve(context.store.find<PersistentVolumeClaim>(kinds.persistentVolumeClaim, namespace, name), context);
      return undefined;
    },
  };
}

function serve(claim: LiveClaim | undefined, context: ControllerContext): void {
  const { storageClassName, volumeName = '' } = claim?.spec ?? {};
  const { store } = context;
  const storageClass = store.find<StorageClass>(kinds.storageClass, '', storageClassName ?? '');
  if (claim === undefined || isTerminating(claim) || storageClass === undefined) return;
  if (volumeName === '') provision(claim, storageClass, context);
  else if (claim.status?.phase === 'Bound') expand(claim, context);
}

const wantedBy = (claim: LiveClaim): string => String(claim.spec?.resources?.requests?.storage ?? '1Gi');

function provision(claim: LiveClaim, storageClass: Live<StorageClass>, { store }: ControllerContext): void {
  const { name, namespace = '', uid, resourceVersion } = claim.metadata;
  if (store.find<PersistentVolume>(kinds.persistentVolume, '', `pvc-${uid}`) !== undefined) return;
  store.create<PersistentVolume>(kinds.persistentVolume, {
    metadata: { name: `pvc-${uid}`, annotations: { 'pv.kubernetes.io/provisioned-by': storageClass.provisioner } },
    spec: {
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      capacity: { storage: wantedBy(claim) },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      hostPath: { path: `/simulated/pvc-${uid}` },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec?.volumeMode ?? 'Filesystem',
    },
  });
}

function expand(claim: LiveClaim, { store }: ControllerContext): void {
  const storage = wantedBy(claim);
  const volume = store.find<PersistentVolume>(kinds.persistentVolume, '', claim.spec?.volumeName ?? '');
  if (volume === undefined || claim.status?.capacity?.storage === storage) return;
  const { apiVersion, kind, metadata } = volume;
  const spec = { capacity: { storage } };
  store.update<PersistentVolume>(kinds.persistentVolume, { apiVersion, kind, metadata: nameAlone(metadata), spec });
  store.updateStatus<PersistentVolumeClaim>(kinds.persistentVolumeClaim, {
    ...claim,
    status: { ...claim.status, capacity: { ...claim.status?.capacity, storage } },
  });
}

/** A merge patch that says no more than that is refused for no version. */
const nameAlone = <M extends { readonly name: string }>({ name }: M): M => ({ name }) as M;

function reclaim(name: string, { store }: ControllerContext, discard: (volume: string) => void): void {
  const volume = store.find<PersistentVolume>(kinds.persistentVolume, '', name);
  if (volume === undefined || isTerminating(volume) || volume.status?.phase !== 'Released') return;
  if (volume.spec?.persistentVolumeReclaimPolicy !== 'Delete') return;
  store.delete(kinds.persistentVolume, volume);
  discard(name);
}
