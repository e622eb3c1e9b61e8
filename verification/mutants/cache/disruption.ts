import type { Mutation } from '../mutation.ts';

const disruption = 'lifecycle/src/disruption';

/** Mistakes in the gate that drains and deletions by hand meet. */
export const disruptionMutations: readonly Mutation[] = [
  {
    name: 'an eviction passes while a peer is down',
    file: `${disruption}/disruption.ts`,
    find: 'return down === undefined ? takenDownNow',
    replace: 'return down !== -1 ? takenDownNow',
    breaks: 'I8',
  },
  {
    name: 'drains take members past their closed gates which are to leave for good',
    file: `${disruption}/disruption.ts`,
    find: 'member.ordinal >= Math.max(rollout.replicas, gatedReplicas)',
    replace: 'member.ordinal >= rollout.wantedReplicas',
    breaks: 'S0.1',
  },
  {
    name: 'a StatefulSet that another client makes smaller takes members past their closed gates',
    file: `${disruption}/disruption.ts`,
    find: 'if (member.ordinal >= Math.max(rollout.replicas, gatedReplicas))',
    replace: 'if (member.ordinal >= Math.max(rollout.replicas, rollout.wantedReplicas))',
    breaks: 'issue 26: row 8',
  },
  {
    name: 'the controller of the StatefulSet takes members without asking',
    file: `${disruption}/disruption.ts`,
    find: "'taint-eviction-controller',",
    replace: "'taint-eviction-controller', 'statefulset-controller',",
    breaks: 'issue 26: row 8',
  },
  {
    name: 'a reduction by another client is not said to bypass the gates',
    file: 'reconcilers/src/upgrade/exposed-members.ts',
    find: 'const taken = takenPastGates(seen);\n  const bypasses = [',
    replace: 'const taken = takenPastGates(seen).slice(0, 0);\n  const bypasses = [',
    breaks: 'issue 26: row 8',
  },
  {
    name: 'members that go while the size is put back are not said to bypass the gates',
    file: 'reconcilers/src/upgrade/exposed-members.ts',
    find: '...gone.map(({ pod }) => takenAway(pod)), ',
    replace: '',
    breaks: 'issue 26: row 8',
  },
  {
    name: 'two evictions at the same time pass',
    file: `${disruption}/disruption.ts`,
    find: 'if (reserved === undefined || reserved === uid) return undefined;',
    replace: 'if (reserved !== undefined) return undefined;',
    breaks: 'I8',
  },
  {
    name: 'a reservation is over when the wall clock says so',
    file: `${disruption}/observed-reservations.ts`,
    find: 'const { isOver } = known?.text === text ? known : this.#begin(key, text, clock);',
    replace: "const isOver = clock.now() >= Date.parse(text.split(' ')[1] ?? '');",
    breaks: 'I8',
  },
  {
    name: 'a reservation is written over whatever stands there',
    file: `${disruption}/protection.ts`,
    find: 'const body = { metadata: { resourceVersion: owner.metadata.resourceVersion, annotations } };',
    replace: 'const body = { metadata: { annotations } };',
    breaks: 'I8',
  },
  {
    name: 'a member goes for what was true a while ago',
    file: 'reconcilers/src/clustered-cache/disruption.ts',
    find: 'const seen = { ...around, children: { ...around.children, set }, pods };',
    replace: 'const seen = { ...around, children: { ...around.children, set }, pods: around.pods };',
    breaks: 'I8',
  },
  {
    name: 'a drain does not wait for the upgrade',
    file: `${disruption}/disruption.ts`,
    find: 'down === undefined ? takenDownNow(seen, uid) :',
    replace: 'down === undefined ? undefined :',
    breaks: 'I8',
  },
  {
    name: 'a drain that can’t be decided in time goes through',
    file: `${disruption}/gate.ts`,
    find: 'resolve(undecided(`it could not be decided within ${answerWithinMs / 1000} s`))',
    replace: 'resolve({ may: true, because: `it could not be decided within ${answerWithinMs / 1000} s` })',
    breaks: 'S0.1',
  },
  {
    name: 'members go past every gate while their StatefulSet is away',
    file: `${disruption}/disruption.ts`,
    find: 'if (!member) return decideUnclaimed(seen, disruption.pod);',
    replace: "if (!member) return may('it is no member');",
    breaks: 'S0.1, I8',
  },
  {
    name: 'a drain that comes too early is refused for good',
    file: `${disruption}/gate.ts`,
    find: "code: 429, reason: 'TooManyRequests', message };",
    replace: "code: 403, reason: 'Forbidden', message };",
    breaks: 'I10',
  },
];
