import type { Mutation } from '../mutation.ts';

/** The second lot of mistakes in ClusteredCache that were written from the sources alone by an author who had not seen the tests. */
export const unseenSecondCacheMutations: readonly Mutation[] = [
  {
    name: 'only the first member of an upgrade hands over; those after it are taken down without',
    file: 'lifecycle/src/rollout/next.ts',
    find: 'const again = seen.handedOff === candidate.uid;',
    replace: 'const again = seen.handedOff !== undefined;',
    breaks: 'hand-off before each member goes (I5 where no member tells role',
  },
  {
    name: 'a leader whose role is unknown goes down although no peer has its data',
    file: 'lifecycle/src/rollout/next.ts',
    find: 'const follows = role.answers.every(({ ok, unknown }) => !ok && !unknown); if (follows && lags) return undefined;',
    replace: 'const follows = role.answers.every(({ ok }) => !ok); if (follows && lags) return undefined;',
    breaks: 'I5',
  },
  {
    name: 'a cache that asks for no gates is asked the default gate, and its upgrades and drains are blocked for ever',
    file: 'lifecycle/src/rollout/policy.ts',
    find: 'return upgrade?.gates ?? defaultGates;',
    replace: 'return upgrade?.gates?.length ? upgrade.gates : defaultGates;',
    breaks: '`gates: []` asks no gate; stuck',
  },
  {
    name: 'the Job of a gate is never run for a cache of one member: it goes down unasked',
    file: 'lifecycle/src/rollout/policy.ts',
    find: `map(({ name, target, job }) => ({ name, target: job ? 'Once' : target }))`,
    replace: 'map(({ name, target }) => ({ name, target }))',
    breaks: 'gates are asked before a member goes',
  },
  {
    name: 'anything that runs in kube-system, such as the cluster autoscaler, evicts members past closed gates',
    file: 'lifecycle/src/disruption/disruption.ts',
    find: `return cleaners.has(requester) || requester.startsWith('system:node:') ? 'it is lost already' : undefined;`,
    replace: `return requester.startsWith('system:serviceaccount:kube-system:') || requester.startsWith('system:node:')
    ? 'it is lost already'
    : undefined;`,
    breaks: 'I4/I8 for drains: the gates are for everybody who is no clea',
  },
  {
    name: 'a cache that shrinks takes a member away while another one was just allowed to be deleted for a drain',
    file: 'lifecycle/src/rollout/next.ts',
    find: 'const isDue = seen.replicas > seen.wantedReplicas || seen.members.some((member) => !isCurrent(member, seen));',
    replace: 'const isDue = seen.members.some((member) => !isCurrent(member, seen));',
    breaks: 'I4, I8',
  },
  {
    name: 'while a cache is paused, a member that has ended keeps its finalizer, and neither goes nor comes back',
    file: 'reconcilers/src/clustered-cache/decide.ts',
    find: `actions: releasePods(ended(present), 'the cache is paused, and the pod has ended'),`,
    replace: 'actions: [],',
    breaks: 'I3: no pod is stranded',
  },
  {
    name: 'a cache with a hand-off never shrinks outside of an upgrade: it hands over again and again without a pause',
    file: 'reconcilers/src/upgrade/record.ts',
    find: '...{ handedOff: undefined, catchingUp: undefined, ...(upgrade ? {} : rememberedOf(findings)) },',
    replace: '...{ handedOff: undefined, catchingUp: undefined },',
    breaks: 'stuck forever, endless calls (I14: what was done has to stan',
  },
  {
    name: 'after a rollback the status counts the rolled-back members as updated',
    file: 'reconcilers/src/clustered-cache/status.ts',
    find: 'updatedReplicas: count(members, ({ revision }) => revision === wanted.specRevision),',
    replace: 'updatedReplicas: count(members, ({ revision }) => revision === wanted.revision),',
    breaks: 'a status that lies: updatedReplicas are those that run what ',
  },
  {
    name: 'a member held by an upgrade stays Terminating for ever when the StatefulSet is deleted in the middle, and its name is never taken again',
    file: 'reconcilers/src/clustered-cache/decide.ts',
    find: `      ...releasePods(strays, 'it is no member any more'),
`,
    replace: '',
    breaks: 'I3, S0.6',
  },
  {
    name: 'the template that ran before an upgrade is forgotten in the next reconcile, so that a failed change of the pod is not rolled back',
    file: 'reconcilers/src/clustered-cache/template.ts',
    find: 'previous: leaving ? textOf(leaving.template) : kept',
    replace: 'previous: leaving ? textOf(leaving.template) : undefined',
    breaks: 'S0.5/S0.10: there is always a way back while an upgrade runs',
  },
  {
    name: 'after a write was refused for good, nothing is ever tried again, although what refused it has gone',
    file: 'lifecycle/src/error-management/error-management.ts',
    find: "lookAgainAt: retry === 'terminal' ? now + longestRetryMs : retryAt(began, now),",
    replace: "lookAgainAt: retry === 'terminal' ? now + 10_000 * longestRetryMs : retryAt(began, now),",
    breaks: 'stuck forever; "a refusal for good may be over when the clus',
  },
];
