import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';

/** The files of one volume. */
export type VolumeFiles = Map<string, string>;

/** What lies on the volumes of the simulated world: what is on a claim outlives pods, and goes with its persistent volume. */
export class VolumeStore {
  private readonly files = new Map<string, VolumeFiles>();

  /** The files of a volume of a pod. */
  of(pod: LivePod, volumeName: string, store: Store): VolumeFiles {
    const claim = pod.spec?.volumes?.find(({ name }) => name === volumeName)?.persistentVolumeClaim?.claimName;
    if (claim === undefined) return this.at(`pod/${pod.metadata.uid}/${volumeName}`);
    const bound = store.find<PersistentVolumeClaim>(kinds.persistentVolumeClaim, pod.metadata.namespace ?? '', claim)
      ?.spec?.volumeName;
    return this.at(`volume/${bound ?? claim}`);
  }

  /** The files of a persistent volume. */
  ofVolume(name: string): VolumeFiles {
    return this.at(`volume/${name}`);
  }

  /** Removes what a persistent volume held. */
  discard(volumeName: string): void {
    this.files.delete(`volume/${volumeName}`);
  }

  /** Removes what a pod held on volumes of its own. */
  discardPod(uid: string): void {
    for (const key of this.files.keys()) if (key.startsWith(`pod/${uid}/`)) this.files.delete(key);
  }

  private at(key: string): VolumeFiles {
    let files = this.files.get(key);
    if (files === undefined) this.files.set(key, (files = new Map()));
    return files;
  }
}
