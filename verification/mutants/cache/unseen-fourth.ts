import type { Mutation } from '../mutation.ts';

/** The fourth lot of mistakes in ClusteredCache that were written from the sources alone by an author who had not seen the tests; those that others had thought of are left out. */
export const unseenFourthCacheMutations: readonly Mutation[] = [
  {
    name: 'when the spec is put back in the middle of an upgrade, it is forgotten that a replacement has not caught up yet, and that an ended member waits for its role to go elsewhere',
    file: 'reconcilers/src/upgrade/progress.ts',
    find: 'if (members.every(({ revision }) => revision === wanted.revision) && !recorded) return undefined;',
    replace: 'if (members.every(({ revision }) => revision === wanted.revision)) return undefined;',
    breaks: 'data kept',
  },
  {
    name: 'of members that are allowed to be deleted for a drain only the first one since the operator started is noted: afterwards a second member may go down while the first is on its way',
    file: 'lifecycle/src/disruption/observed-reservations.ts',
    find: 'known?.text === text ? known : this.#begin(key, text, clock)',
    replace: 'known ?? this.#begin(key, text, clock)',
    breaks: 'service kept up, data kept',
  },
  {
    name: 'the yes that a gate job gave for a member counts for its replacement too',
    file: 'lifecycle/src/rollout/gate-job.ts',
    find: 'hashOf([candidate.uid, gate])',
    replace: 'hashOf([candidate.name, gate])',
    breaks: 'data kept (a gate is passed without being asked)',
  },
  {
    name: 'an ended member is released after half a minute although no other member leads, so that an empty one may come back and lead',
    file: 'lifecycle/src/rollout/transit.ts',
    find: '!member.ready && !member.terminating && isOver(',
    replace: '!member.ready && isOver(',
    breaks: 'data kept',
  },
  {
    name: 'a member that could not be released when an upgrade failed stays held for ever: once it is drained it hangs in Terminating and is not made again',
    file: 'lifecycle/src/rollout/deadline.ts',
    find: `return proceed('Failed', '', { actions: releaseHeld(seen), release: 'retry', ...still });`,
    replace: `return proceed('Failed', '', { release: 'retry', ...still });`,
    breaks: 'nothing stuck for ever, service kept up',
  },
  {
    name: 'a zero in the pod template, which the api server leaves out, counts as drift: the StatefulSet is applied in every reconcile and the cache never gets ready or upgraded',
    file: 'lifecycle/src/decision/as-served.ts',
    find: `value === false || value === 0 || value === ''`,
    replace: `value === false || value === ''`,
    breaks: 'no endless writing, nothing stuck',
  },
  {
    name: 'when the StatefulSet is deleted after an upgrade was rolled back, the members are made anew from the version that had failed',
    file: 'reconcilers/src/clustered-cache/template.ts',
    find: 'former: () => versionOf(formerImage(cache)),',
    replace: '',
    breaks: 'service kept up',
  },
];
