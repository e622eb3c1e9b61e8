import type { ControllerDefinition } from './controller.ts';
import { namespaceContentController, namespaceController } from './namespace.ts';
import { podScheduler } from './pod-scheduler.ts';
import { statefulSetController } from './stateful-set/controller.ts';
import { claimBinder, volumeReclaimer } from './storage/binder.ts';
import { claimProtection, volumeProtection } from './storage/protection.ts';

/** What controllers do beyond the API. */
export interface ControllerEffects {
  /** The data of a persistent volume is thrown away. */
  readonly discard: (volume: string) => void;
}

/** The controllers that a cluster runs. */
export function builtinControllers(effects: ControllerEffects): readonly ControllerDefinition[] {
  return [
    claimBinder,
    claimProtection,
    namespaceContentController,
    namespaceController,
    podScheduler,
    statefulSetController,
    volumeProtection,
    volumeReclaimer(effects.discard),
  ];
}
