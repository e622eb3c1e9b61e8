import type { LivePod } from '../controllers/kinds.ts';
import type { Store } from '../controllers/store.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { Network } from './network.ts';
import type { ImageRegistry } from './program.ts';
import type { VolumeStore } from './volumes.ts';

/** What a node offers to the pods that run on it. */
export interface NodeEnvironment {
  readonly name: string;
  readonly ip: string;
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly images: ImageRegistry;
  readonly network: Network;
  readonly volumes: VolumeStore;
  /** A fresh address for a pod. */
  readonly nextPodIp: () => string;
  readonly event: (pod: LivePod, type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** Whether the node renews its lease in the API. In virtual time nothing waits for it, and it would cost two writes a second. */
  readonly renewsLease: boolean;
  /** Whether the node can reach the API server. */
  readonly isConnected: () => boolean;
}
