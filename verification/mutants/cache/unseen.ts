import type { Mutation } from '../mutation.ts';

const cache = 'reconcilers/src/clustered-cache';
const rollout = 'lifecycle/src/rollout';

/** More mistakes in ClusteredCache, written from the sources alone by an author who had not seen the tests. */
export const unseenCacheMutations: readonly Mutation[] = [
  {
    name: 'a smaller number of replicas takes members away at once, and through no gate',
    file: `${cache}/decide.ts`,
    find: 'const wanted = wantedTemplate(cache, children.set); const replicas = keptReplicas(membersOf(seen));',
    replace: 'const wanted = wantedTemplate(cache, children.set); const replicas = cache.spec.replicas;',
    breaks: 'I8',
  },
  {
    name: 'the next member goes down although the replacement before it has not caught up',
    file: `${rollout}/remembered.ts`,
    find: 'const handedOff = upgrade?.handedOff ?? status.handedOff; const catchingUp = upgrade?.catchingUp ?? status.catchingUp;',
    replace:
      'const handedOff = upgrade?.handedOff ?? status.handedOff; const catchingUp = upgrade?.catchingUp && status.catchingUp;',
    breaks: 'I5',
  },
  {
    name: 'a member that has ended comes back before another one leads',
    file: `${rollout}/transit.ts`,
    find: 'if (roles.answers.some(({ ok }) => ok)) return removeFinalizer(',
    replace: 'if (roles.answers.some(({ unknown }) => !unknown)) return removeFinalizer(',
    breaks: 'I6',
  },
  {
    name: 'two drains at the same moment both take a member',
    file: `lifecycle/src/disruption/protection.ts`,
    find: 'metadata: { resourceVersion: owner.metadata.resourceVersion, annotations }',
    replace: 'metadata: { annotations }',
    breaks: 'I4',
  },
  {
    name: 'the Job of a gate runs for one member, and its yes counts for the others',
    file: `${rollout}/gate-job.ts`,
    find: 'hashOf([candidate.uid, gate])',
    replace: 'hashOf([gate])',
    breaks: 'I8',
  },
  {
    name: 'a Service of another owner is deleted where a cache without a port would have its own',
    file: `${cache}/children.ts`,
    find: ' || !controls(seen.cache.metadata.uid, child))',
    replace: ')',
    breaks: 'I13',
  },
  {
    name: 'a spec that is corrected, and a rollback, have only the time that the upgrade before has left',
    file: 'reconcilers/src/upgrade/progress.ts',
    find: 'revision: wanted.revision, startedAt: now,',
    replace: 'revision: wanted.revision, startedAt: recorded?.startedAt ?? now,',
    breaks: 'I2',
  },
  {
    name: 'a rollback goes to a template that was replaced before all members ran it',
    file: 'reconcilers/src/upgrade/version.ts',
    find: '&& running?.revision === status?.currentRevision;',
    replace: '&& !failed;',
    breaks: 'S0.7',
  },
  {
    name: 'a cache of one member says that it is available while that member is down',
    file: `${cache}/conditions.ts`,
    find: 'if (ready === 0 || ready <',
    replace: 'if (ready <',
    breaks: 'a status says what is so',
  },
  {
    name: 'an operator that sees an old spec puts the children back to it',
    file: 'lifecycle/src/decision/execute.ts',
    find: 'if (!written) await run.confirmSubject(status, actions);',
    replace: '',
    breaks: 'I9',
  },
];
