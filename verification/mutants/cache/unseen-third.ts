import type { Mutation } from '../mutation.ts';

/** The third lot of mistakes in ClusteredCache that were written from the sources alone by an author who had not seen the tests. */
export const unseenThirdCacheMutations: readonly Mutation[] = [
  {
    name: 'a member that leads again after its hand-off is taken down without handing over',
    file: 'lifecycle/src/rollout/next.ts',
    find: `  if (again) {
    if (!seen.can.role || seen.members.length < 2) return undefined;
    const role = answersTo([{ about: 'role', of: candidate }], seen);
    if ('ask' in role) return role;
    const unknown = role.answers.find((answer) => answer.unknown);
    if (unknown) return blocked('HandingOff', unknown, { seen, now, member: candidate, release: 'gate' });
    if (role.answers.every(({ ok }) => !ok)) return awaitHeir(candidate, seen, now);
    leads = role.answers[0];
  }`,
    replace: '  if (again) return undefined;',
    breaks: 'hand-off: whoever took over may have been lost while the gat',
  },
  {
    name: 'a leader that does not answer for a moment is taken for a follower and goes down first',
    file: 'lifecycle/src/rollout/next.ts',
    find: 'const follower = roles.answers.find(({ ok, unknown }) => !ok && !unknown); if (follower) return follower.question.of;',
    replace: 'const follower = roles.answers.find(({ ok }) => !ok); if (follower) return follower.question.of;',
    breaks: 'leader order: with LeaderLast whoever leads comes last, and ',
  },
  {
    name: 'the answer that a gate’s job gave about an earlier pod counts for the pod that came after it',
    file: 'lifecycle/src/rollout/gate-job.ts',
    find: 'hashOf([candidate.uid, gate])',
    replace: 'hashOf([candidate.name, gate])',
    breaks: 'gates: each pod is asked about; a yes is for this pod only',
  },
  {
    name: 'a rollback leads to a template that never ran everywhere instead of to the one that did',
    file: 'reconcilers/src/upgrade/version.ts',
    find: 'running?.revision === status?.currentRevision;',
    replace: 'running?.revision !== status?.failedRevision;',
    breaks: 'rollback: only the template of a completed upgrade is kept a',
  },
  {
    name: 'a paused upgrade still deletes outdated members that are not ready, and brings them to the new version',
    file: 'lifecycle/src/rollout/transit.ts',
    find: 'if (!broken || seen.paused || !mayFollow(seen) || isMissingBefore(broken, seen)',
    replace: 'if (!broken || !mayFollow(seen) || isMissingBefore(broken, seen)',
    breaks: 'pause: no further member is taken down while spec.upgrade.pa',
  },
  {
    name: 'a set that shrinks by several members loses all but the first of them at once, without a hand-off and without their gates',
    file: 'lifecycle/src/rollout/next.ts',
    find: '{ member: last, replicas: seen.replicas - 1 }',
    replace: '{ member: last, replicas: seen.wantedReplicas }',
    breaks: 'scaling: the set shrinks by one member at a time, through th',
  },
  {
    name: 'a member that has ended when the upgrade fails keeps its finalizer for ever and is never made again',
    file: 'lifecycle/src/rollout/failed.ts',
    find: 'seen.members.filter(({ held }) => held)',
    replace: 'seen.members.filter(({ held, terminating }) => held && !terminating)',
    breaks: 'deadline: held members go free when the upgrade fails, so th',
  },
  {
    name: 'the status says that all members run the former version again while the rollback is still under way',
    file: 'reconcilers/src/clustered-cache/conditions.ts',
    find: 'if (failed && !(wanted.rollingBack && outcome === undefined))',
    replace: 'if (failed && !wanted.rollingBack)',
    breaks: 'conditions: Available is False, UpgradeFailed, until all mem',
  },
  {
    name: 'a cache never gets ready, and its statefulset is written each time, where the api server shows a field in other words than the spec',
    file: 'reconcilers/src/clustered-cache/children.ts',
    find: 'driftOf(observed, asServed(object, observed))',
    replace: 'driftOf(observed, object)',
    breaks: 'drift: what the API server rewrites or leaves out is none; n',
  },
];
