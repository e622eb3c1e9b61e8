import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';
import { showNodeFile } from './node-files.ts';
import { projectedFiles } from './projected-volume.ts';
import type { VolumeTokens } from './volume-tokens.ts';
import { VolumeFiles } from './volume-files.ts';

/** What lies on the volumes of the simulated world: what is on a claim outlives pods, and goes with its persistent volume. What is in a folder of a node stays there. */
export class VolumeStore {
  private readonly files = new Map<string, VolumeFiles>();
  private readonly tokens: VolumeTokens | undefined;

  /** `tokens`: what issues those of service accounts. Without it, volumes show none. */
  constructor(tokens?: VolumeTokens) {
    this.tokens = tokens;
  }

  /** The files of a volume of a pod. One that shows Secrets, ConfigMaps or fields of the pod has what they are now. */
  of(pod: LivePod, volumeName: string, store: Store): VolumeFiles {
    const volume = pod.spec?.volumes?.find(({ name }) => name === volumeName);
    const shown = projectedFiles(volume, { pod, store, tokens: this.tokens });
    if (shown !== undefined) return shown;
    const { hostPath } = volume ?? {};
    if (hostPath !== undefined) {
      const { nodeName = '' } = pod.spec ?? {};
      const files = this.at(`node/${nodeName}/${hostPath.path.replaceAll(/\/+/g, '/')}`);
      showNodeFile(files, nodeName, hostPath);
      return files;
    }
    const claim = volume?.persistentVolumeClaim?.claimName;
    if (claim === undefined) {
      const files = this.at(`pod/${pod.metadata.uid}/${volumeName}`);
      files.inMemory = volume?.emptyDir?.medium === 'Memory';
      return files;
    }
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
    this.tokens?.discard(uid);
    for (const key of this.files.keys()) if (key.startsWith(`pod/${uid}/`)) this.files.delete(key);
  }

  private at(key: string): VolumeFiles {
    let files = this.files.get(key);
    if (files === undefined) this.files.set(key, (files = new VolumeFiles()));
    return files;
  }
}
