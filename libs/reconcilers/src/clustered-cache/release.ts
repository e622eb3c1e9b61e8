import { clusteredCaches } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import type { Hold, Action } from '@ordinal/lifecycle';
import { seenOf } from '@ordinal/lifecycle';
import { releaseMembers, preTerminateHook } from './names.ts';
import type { CacheObservation } from './observe.ts';
import { isTakenOut } from './taken-out.ts';
import { toBuild } from './template.ts';

/** How a cache is held: its pods must not keep their finalizer when it is gone (S0.6). */
export const cacheHold: Hold = {
  descriptor: clusteredCaches,
  finalizer: releaseMembers,
  because: 'the finalizer of its pods must be removed before it is deleted',
};

/** The pods that have ended, or are being deleted, or are no members any more. */
export function ended({ cache, pods: present }: Pick<CacheObservation, 'cache' | 'pods'>): readonly Pod[] {
  const built = toBuild(cache);
  return present.filter((pod) => pod.metadata.deletionTimestamp !== undefined || isTakenOut(pod, built));
}

/** Takes our finalizer off pods, so that none is stranded: whatever of the rest can't be done. */
export function releasePods(held: readonly Pod[], because: string): Action[] {
  return held
    .filter(({ metadata }) => metadata.finalizers?.includes(preTerminateHook))
    .map((pod) => ({
      kind: 'removeFinalizer',
      descriptor: pods,
      target: seenOf(pod),
      finalizer: preTerminateHook,
      whateverElseChanged: true,
      needs: 'nothing',
      because,
    }));
}
