import type { Mutation } from '../mutation.ts';

const kv = 'reconcilers/src/kv-store-cluster';

/** Mistakes in the gate that drains and deletions by hand of a KVStoreCluster's members meet. */
export const disruptionKvMutations: readonly Mutation[] = [
  {
    name: 'a drain takes a member of a store while an upgrade has released another one',
    file: `${kv}/disruption.ts`,
    find: '...{ pods, released },',
    replace: '...{ pods, released: released.slice(released.length) },',
    breaks: 'I8',
  },
  {
    name: 'an upgrade of a store releases a member while one that a drain may take still serves',
    file: `${kv}/decide.ts`,
    find: 'const wanted = whileReserved(seen, { template: upgrade.template, partition: upgrade.partition, replicas });',
    replace: 'const wanted = { template: upgrade.template, partition: upgrade.partition, replicas };',
    breaks: 'I8',
  },
  {
    name: 'what was released goes while another replacement has not caught up',
    file: 'lifecycle/src/disruption/disruption.ts',
    find: 'of.uid !== member.uid && isKept(of, rollout)',
    replace: 'of.uid === member.uid && isKept(of, rollout)',
    breaks: 'I5',
  },
  {
    name: 'a drain of a store does not hold back a change of the StatefulSet that is on its way',
    file: `${kv}/disruption.ts`,
    find: 'movesSet: true,',
    replace: '',
    breaks: 'I8',
  },
  {
    name: 'the replacement of a member of a store that was drained unseen is not asked for its data',
    file: 'lifecycle/src/disruption/reservation.ts',
    find: 'pods.some(({ metadata }) => metadata.uid === podUID)',
    replace: 'pods.some(({ metadata }) => metadata.uid !== podUID)',
    breaks: 'I5',
  },
  {
    name: 'the StatefulSet’s controller is asked again about what the operator has released',
    file: 'lifecycle/src/disruption/disruption.ts',
    find: 'requester === statefulSetController && released.some(({ uid }) => uid === pod.metadata.uid)',
    replace: 'requester === statefulSetController && released.some(({ uid }) => uid !== pod.metadata.uid)',
    breaks: 'I8',
  },
  {
    name: 'a drain takes a member of a store while a backup reads from it',
    file: `${kv}/disruption.ts`,
    find: "'Backup',",
    replace: '',
    breaks: 'a backup is whole',
  },
  {
    name: 'a deletion of a member of a store past the webhook is not reported',
    file: `${kv}/reserved.ts`,
    find: '.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !wasAllowed(pod, seen))',
    replace: '.filter((pod) => pod.metadata.deletionTimestamp === undefined && !wasAllowed(pod, seen))',
    breaks: 'I8',
  },
];
