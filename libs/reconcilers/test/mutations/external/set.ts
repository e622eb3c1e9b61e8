import type { Mutation } from '../mutation.ts';

const set = 'reconcilers/src/monitored-stateful-set';

/** Mistakes in MonitoredStatefulSet alone: its workload, its registrations, its clean-up. */
export const setMutations: readonly Mutation[] = [
  {
    name: 'a set never lets go of its finalizer',
    file: `${set}/decide.ts`,
    find: 'if (decided.every(({ done }) => done)) return finish(seen);',
    replace: '',
    breaks: 'S0.14',
  },
  {
    name: 'an entry is removed at the monitor that the spec names now',
    file: `${set}/observe.ts`,
    find: 'const { system, credentials } = await accessTo({ endpoint, record }, set,',
    replace: 'const { system, credentials } = await accessTo({ endpoint: set.spec.monitorEndpoint, record }, set,',
    breaks: 'S0.15',
  },
  {
    name: 'the StatefulSet is made once and forgotten',
    file: `${set}/spec.ts`,
    find: "if (existing === undefined) return 'there is no StatefulSet yet';",
    replace: "if (existing === undefined) return 'there is no StatefulSet yet';\n  else return undefined;",
    breaks: 'S0.16',
  },
  {
    name: 'a set is registered before that is written down',
    file: `${set}/decide.ts`,
    find: '  object: set,\n  status,\n',
    replace: "  object: set,\n  status,\n  order: 'last' as const,\n",
    breaks: 'S0.17, I22',
  },
  {
    name: 'an endpoint is forgotten as soon as another one is named',
    file: `${set}/decide.ts`,
    find: 'const there = isSeen ? former',
    replace: 'const there = former.length > 0 ? former',
    breaks: 'no gap in a migration',
  },
  {
    name: 'an entry is removed at the former URL of a service that shows it at the new one too',
    file: `${set}/decide.ts`,
    find: 'isSameEntry(current, here, place) ?',
    replace: 'isSameEntry(current, here, place) && place.endpoint === here.endpoint ?',
    breaks: 'issue 26, row 1',
  },
  {
    name: 'entries of the same ID at two services are one',
    file: `${set}/same-entry.ts`,
    find: 'if (isAskedForTwice || former.record?.id !== view.id) return false;',
    replace: 'if (former.record?.id === view.id) return true;',
    breaks: 'I12, issue 26, row 1',
  },
  {
    name: 'the token of a registration is used at another monitor too',
    file: `${set}/registration.ts`,
    find: '{ ...observation(place, about, muted), incarnationElsewhere }',
    replace: '{ ...observation(place, about, muted), incarnationElsewhere: incarnationElsewhere * 0 }',
    breaks: 'issue 26, row 1',
  },
  {
    name: 'only the last monitor is cleaned up',
    file: `${set}/observe.ts`,
    find: 'if (current) return [current, ...others];',
    replace: 'if (current) return [current];',
    breaks: 'I23',
  },
  {
    name: 'alerts are silent for as long as a roll-out takes',
    file: `${set}/registration.ts`,
    find: 'const isOverdue = since !== undefined && isOver(instantOf(since) ?? now, longestMuteMs, now);',
    replace: 'const isOverdue = since !== undefined && now < 0;',
    breaks: 'the mute has a limit',
  },
  {
    name: 'a Job is wanted in a namespace that is being deleted',
    file: `${set}/observe.ts`,
    find: '  if (place?.metadata.deletionTimestamp !== undefined) return undefined;\n',
    replace: '',
    breaks: 'I11, I18',
  },
  {
    name: 'a clean-up Job that fails counts as done',
    file: `${set}/decide.ts`,
    find: "if (step !== undefined && step.state !== 'Succeeded') {",
    replace: "if (step !== undefined && step.state !== 'Succeeded' && step.record?.result !== 'Failed') {",
    breaks: 'S0.13',
  },
  {
    name: 'a change of a field that can not change is tried for ever',
    file: `${set}/spec.ts`,
    find: 'if (drift !== undefined) return drift;',
    replace: 'if (drift === undefined) continue;',
    breaks: 'S0.16',
  },
  {
    name: 'a StatefulSet of somebody else is taken over',
    file: `${set}/spec.ts`,
    find: 'return existing !== undefined && existing.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) !== true;',
    replace: 'return existing !== undefined && existing.metadata.uid === metadata.uid;',
    breaks: 'I13',
  },
  {
    name: 'a monitor that can not be asked makes a registration undone',
    file: `${set}/status.ts`,
    find: "status: before?.status === 'True' ? 'True' : 'False',",
    replace: "status: 'False',",
    breaks: 'conditions tell what is',
  },
];
