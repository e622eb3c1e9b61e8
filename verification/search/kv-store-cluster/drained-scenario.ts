import { pods, statefulSets } from '@ordinal/client';
import type { Pod } from '@ordinal/client';
import { operatorName } from '@ordinal/constructs';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { isReady } from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { operator, register } from '../../../libs/reconcilers/test/clustered-cache/drain-world.ts';
import { isBystander } from '../../../libs/reconcilers/test/world/bystander.ts';
import { drain, registerAudit } from '../faults/drain.ts';
import { everyFaultBut } from '../faults/faults.ts';
import type { AllowedDeletion } from '../oracles/allowed-deletions.ts';
import { allowedDeletion, isSpared, noteAnswers } from '../oracles/allowed-deletions.ts';
import { nothingIsWrittenInVain } from '../oracles/needless-writes.ts';
import { Memories } from '../../../libs/reconcilers/test/world/restored.ts';
import type { Searched } from '../engine/searched.ts';
import { kvStoreInvariants } from './invariants.ts';
import { images, operatorOf, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { serveStoreGate } from '../../../libs/reconcilers/test/kv-store-cluster/serve-gate.ts';
import { searched, setUp } from './scenario.ts';
import { allRun, change } from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const statefulSetController = 'system:serviceaccount:kube-system:statefulset-controller';

/** The members, with those that terminate. */
const members = (cluster: TestCluster): readonly Pod[] =>
  cluster.objects.list(pods, 'default').filter((pod) => /^orders-\d+$/.test(pod.metadata.name) && !isBystander(pod));

const uidsOf = (cluster: TestCluster): readonly string[] => members(cluster).map(({ metadata }) => metadata.uid);

/** Which members went down because the gate allowed it, in one history. */
interface Allowed {
  /** By name: the UID of each, and when. They are here until another one serves in their place. */
  readonly down: Map<string, AllowedDeletion>;
  wrong: string | undefined;
}

const drains = new Memories<Allowed>(() => ({ down: new Map(), wrong: undefined }));

const isKept = (cluster: TestCluster, name: string): boolean =>
  Number(name.slice('orders-'.length)) <
  (cluster.objects.find(statefulSets, 'default', 'orders')?.spec.replicas ?? Infinity);

/** Notes what the gate has allowed, and whether another member was down by then. */
function noteAnswer(cluster: TestCluster, question: string, answer: string): void {
  const allowed = allowedDeletion(members(cluster), question, answer);
  if (allowed === undefined || !isKept(cluster, allowed.target.metadata.name)) return;
  const { name, uid } = allowed.target.metadata;
  const drain = drains.of(cluster);
  const others = [...drain.down].filter(([other, one]) => other !== name && !isSpared(cluster, members(cluster), one));
  const who = allowed.username === statefulSetController ? 'an upgrade took' : 'a drain was allowed to take';
  if (others.length > 0)
    drain.wrong = `${who} ${name} while ${others.map(([one]) => one).join(', ')} had not come back`;
  drain.down.set(name, { uid, at: cluster.clock.now() });
}

const oneAtATime: Invariant = {
  name: 'a drain takes no second member of a KVStoreCluster down (I8)',
  afterChange: (cluster, { kind, type, object }) => {
    const drain = drains.of(cluster);
    if (kind === 'pods' && type !== 'DELETED') {
      const pod = object as Pod; // Of kind pods.
      const { name, uid } = pod.metadata;
      if (isReady(pod) && drain.down.get(name)?.uid !== uid) drain.down.delete(name);
    }
    for (const name of drain.down.keys()) if (!isKept(cluster, name)) drain.down.delete(name);
    const { wrong } = drain;
    drain.wrong = undefined;
    return wrong;
  },
};

/**
 * A member is reserved by writing its name to the cluster and by a patch of its StatefulSet, also where it stands there already: what counts is that no other client has written
 * them meanwhile. All else that is written to the StatefulSet is applied.
 */
const needless = nothingIsWrittenInVain(
  ({ kind, verb, subresource }) =>
    subresource === undefined &&
    (kind === 'kvstoreclusters.kvstore.example.com' || (kind === 'statefulsets.apps' && verb === 'patch')),
);

const base = searched({
  name: 'drains of a KVStoreCluster, alone, during an upgrade, and while it shrinks',
  setUp: async (cluster) => {
    noteAnswers(cluster, noteAnswer);
    await register(cluster, { name: operatorName });
    await registerAudit(cluster);
    await setUp()(cluster);
  },
  drive: async (cluster, until) => {
    const all = { members: () => members(cluster) };
    const done = (version: string) => until(() => allRun(cluster, version));
    await done('1.0');
    await drain(cluster, until, { ...all, uids: uidsOf(cluster) });
    await done('1.0');
    const [lowest = '', ...higher] = uidsOf(cluster);
    await change(cluster, { version: '2.0' });
    // The last to be upgraded, for as long as others come before it: the upgrade and the drain each take another member.
    const wants = (): boolean => uidsOf(cluster).some((uid) => higher.includes(uid));
    await drain(cluster, until, { ...all, uids: [lowest], wants });
    await done('2.0');
    const [first = ''] = uidsOf(cluster);
    await change(cluster, { version: '3.0' });
    await until(() => images(cluster).includes('3.0') || storeNow(cluster)?.status?.currentVersion === '3.0');
    await change(cluster, { version: '2.0' });
    await drain(cluster, until, { ...all, uids: [first] });
    await done('2.0');
    const [again = ''] = uidsOf(cluster);
    const going = drain(cluster, until, { ...all, uids: [again] });
    await change(cluster, { replicas: 2 });
    await going;
  },
  isDone: (cluster) => allRun(cluster, '2.0') && members(cluster).length === 2,
});

const faults = everyFaultBut('oldVersion', 'twoLeaders');

/** A user drains all nodes, and one during an upgrade, during its way back, and while the cluster shrinks. */
export const drained: Searched = {
  scenario: {
    ...base.scenario,
    operator: operatorOf({ attend: serveStoreGate }),
    identity: { name: operator, groups: ['system:masters', 'system:serviceaccounts', 'system:authenticated'] },
  },
  oracles: [...kvStoreInvariants.filter(({ name }) => name !== needless.name), needless, oneAtATime],
  // An older operator, and one that is suspended, has no gate.
  faults,
  // How often a drain has to try depends on what is in its way; while the operator is away no webhook answers, and every deletion is allowed.
  livesVary: faults,
};
