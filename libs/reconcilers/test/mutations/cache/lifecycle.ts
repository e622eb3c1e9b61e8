import type { Mutation } from '../mutation.ts';

const cache = 'reconcilers/src/clustered-cache';

/** Mistakes in the life of a ClusteredCache: its children, its status, what it goes back to, its deletion. */
export const lifecycleMutations: readonly Mutation[] = [
  {
    name: 'the StatefulSet replaces members by itself',
    file: 'constructs/src/clustered-cache/stateful-set.ts',
    find: "updateStrategy: { type: 'OnDelete' }",
    replace: "updateStrategy: { type: 'RollingUpdate' }",
    breaks: 'S0.3',
  },
  {
    name: 'a member made from a template that somebody else had changed counts as current',
    file: 'reconcilers/src/rollout/members.ts',
    find: 'if (!fits(statefulSet, members)) return members;',
    replace: 'if (members.length >= 0) return members;',
    breaks: 'I1',
  },
  {
    name: 'what has run everywhere fails where one member of it can not be replaced, and what ran before comes back',
    file: `${cache}/template.ts`,
    find: ' || specRevision === cache.status?.currentRevision',
    replace: '',
    breaks: 'S0.5',
  },
  {
    name: 'a rollback leaves the new template',
    file: `${cache}/template.ts`,
    find: 'const template = rollingBack ? before : wanted;',
    replace: 'const template = wanted;',
    breaks: 'S0.5',
  },
  {
    name: 'pods keep their finalizer when the cache goes',
    file: `${cache}/release.ts`,
    find: 'return held\n    .filter(({ metadata }) => metadata.finalizers?.includes(preTerminateHook))',
    replace: 'return held\n    .filter(() => false)',
    breaks: 'S0.6, I3',
  },
  {
    name: 'the deletion of a cache does not let its pods go',
    file: `${cache}/decide.ts`,
    find: "[...releasePods(present, 'the ClusteredCache is being deleted'), finalizer]",
    replace: '[finalizer]',
    breaks: 'S0.6',
  },
  {
    name: 'currentVersion moves when the upgrade begins',
    file: `${cache}/status.ts`,
    find: 'const completed = outcome === undefined;',
    replace: 'const completed = true;',
    breaks: 'S0.7',
  },
  {
    name: 'what has failed is forgotten',
    file: `${cache}/status.ts`,
    find: '? wanted.specRevision\n',
    replace: '? undefined\n',
    breaks: 'S0.8',
  },
  {
    name: 'children have no owner',
    file: 'constructs/src/clustered-cache/stateful-set.ts',
    find: 'const metadata = childMetadata(cacheChild(cache));',
    replace: 'const { ownerReferences: _owner, ...metadata } = childMetadata(cacheChild(cache));',
    breaks: 'S0.24',
  },
  {
    name: 'an invalid cache can’t be deleted',
    file: `${cache}/decide.ts`,
    find: 'if (metadata.deletionTimestamp !== undefined) return { decision: decideDeletion(seen) };',
    replace:
      'if (metadata.deletionTimestamp !== undefined && validateClusteredCache(seen.cache).length === 0) return { decision: decideDeletion(seen) };',
    breaks: 'S0.25, I25',
  },
  {
    name: 'a changed spec inherits the deadline',
    file: `${cache}/rollout-observation.ts`,
    find: '    startedAt: now,',
    replace: '    startedAt: recorded?.startedAt ?? now,',
    breaks: 'I2, I20',
  },
  {
    name: 'a member goes down before the StatefulSet knows the template',
    file: `${cache}/rollout-observation.ts`,
    find: '(set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0)',
    replace: 'set.metadata.generation !== 0',
    breaks: 'I8, I9',
  },
  {
    name: 'the Job of a gate answers for the pod of the same name',
    file: `${cache}/gate-job.ts`,
    find: 'hashOf([candidate.uid, gate])',
    replace: 'hashOf([candidate.name, gate])',
    breaks: 'I13',
  },
  {
    name: 'the StatefulSet shrinks at once',
    file: `${cache}/decide.ts`,
    find: 'const replicas = Math.max(children.set?.spec.replicas ?? 0, cache.spec.replicas);',
    replace: 'const replicas = cache.spec.replicas;',
    breaks: 'S0.1, I8',
  },
  {
    name: 'what is kept for a rollback is overwritten',
    file: `${cache}/template.ts`,
    find: 'previous: leaving ? textOf(running) : kept,',
    replace: 'previous: running ? textOf(running) : kept,',
    breaks: 'S0.7',
  },
  {
    name: 'a retry that was asked for is not made',
    file: `${cache}/template.ts`,
    find: '&& status.retryToken === metadata.annotations?.[retryAnnotation]',
    replace: '',
    breaks: 'issue 6: retry',
  },
  {
    name: 'a paused cache strands pods that end',
    file: `${cache}/decide.ts`,
    find: "actions: releasePods(ended(present), 'the cache is paused, and the pod has ended'),",
    replace: 'actions: [],',
    breaks: 'I3',
  },
  {
    name: 'an upgrade has no deadline while nothing can be decided about its cache',
    file: `${cache}/trouble.ts`,
    find: 'const late = latenessOf(seen, now);',
    replace: 'const late = undefined as ReturnType<typeof latenessOf>;',
    breaks: 'I19, I3',
  },
];
