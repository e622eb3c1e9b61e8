import type { Pod, StatefulSet } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { everyFault } from '../faults/faults.ts';
import type { Searched } from '../engine/searched.ts';
import {
  cache,
  caches,
  change,
  images,
  installImages,
  isReady,
  isSettled,
  members,
} from '../../../libs/reconcilers/test/clustered-cache/cache-world.ts';
import { cacheInvariants } from './invariants.ts';
import { common, podTemplate, untilAllRun, untilRunning } from './scenario.ts';

/** Of one history: the UIDs of the members that a Job was run for, and what the last one said; and what serving members looked like last. */
interface Asked {
  readonly answers: Map<string, 'yes' | 'no'>;
  readonly serving: Map<string, Pod>;
}

const known = new WeakMap<TestCluster, Asked>();

function askedIn(cluster: TestCluster): Asked {
  const asked = known.get(cluster) ?? { answers: new Map<string, 'yes' | 'no'>(), serving: new Map<string, Pod>() };
  known.set(cluster, asked);
  return asked;
}

/** The first Job for each pod says no, and those after it yes. */
function answer(cluster: TestCluster, pod: string | undefined): number {
  const { answers } = askedIn(cluster);
  const uid = members(cluster).find(({ metadata }) => metadata.name === pod)?.metadata.uid;
  if (uid === undefined) return 1;
  answers.set(uid, answers.has(uid) ? 'yes' : 'no');
  return answers.get(uid) === 'yes' ? 0 : 1;
}

/** What is wrong with taking this member down, or letting it go for good. */
function wrongWith(cluster: TestCluster, pod: Pod | undefined): string | undefined {
  if (!pod || askedIn(cluster).answers.get(pod.metadata.uid) === 'yes') return undefined;
  return `${pod.metadata.name} was released, and no Job has said yes for this very pod`;
}

/** A yes counts for the pod that it was asked for, and for no other one: not for its peers, nor for the pod of its name before it. */
export const everyPodIsAskedFor: Invariant = {
  name: 'a member goes down when the Job of its gate has said yes for it (S0.1, I13)',
  afterChange: (cluster, { kind, type, object, previous }) => {
    const { serving } = askedIn(cluster);
    if (kind === 'pods' && type !== 'DELETED') {
      const pod = object as Pod; // Of kind pods.
      const before = previous as Pod | undefined;
      const { name, deletionTimestamp } = pod.metadata;
      // At the moment of its deletion it is what it was before: that is what the operator has taken down.
      const seen = deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined ? before : pod;
      if (seen && isReady(seen)) serving.set(name, seen);
      else serving.delete(name);
    }
    if (kind !== 'statefulsets.apps' || type !== 'MODIFIED') return undefined;
    const [now, before] = [object, previous].map((set) => (set as StatefulSet | undefined)?.spec.replicas ?? 1);
    if (now === undefined || before === undefined || now >= before) return undefined;
    return wrongWith(cluster, serving.get(`sessions-${now}`));
  },
  afterRequest: (cluster, { verb, kind, name = '', status, subresource }) =>
    verb === 'delete' && kind === 'pods' && status < 300 && subresource === undefined
      ? wrongWith(cluster, askedIn(cluster).serving.get(name))
      : undefined,
};

/** A gate that asks by a Job, with its image. */
export function jobGate(cluster: TestCluster) {
  cluster.image('example.com/gate:1', { startsIn: 1000, run: ({ env }) => answer(cluster, env['ORDINAL_POD']) });
  const template = { spec: { containers: [{ name: 'gate', image: 'example.com/gate:1' }] } };
  return { name: 'job', job: { template: { template } } } as const;
}

/** A Job is run for each member before it is replaced, and for the one that leaves for good; each says no at first. */
export const jobGated: Searched = {
  oracles: [...cacheInvariants, everyPodIsAskedFor],
  faults: everyFault,
  // Where the clock jumps the age of an answer is unknown, and the Job is run once more.
  livesVary: ['clock'],
  scenario: {
    ...common,
    name: 'an upgrade whose gate is a Job, and shrinkage through it',
    setUp: async (cluster) => {
      installImages(cluster);
      await caches(cluster).create(cache({ podTemplate, upgrade: { gates: [jobGate(cluster)] } }));
    },
    drive: async (cluster, until) => {
      await untilRunning(cluster, 'cache:1', until);
      await change(cluster, { image: 'cache:2' });
      await untilAllRun(cluster, 'cache:2', until);
      await change(cluster, { replicas: 2 });
      await untilAllRun(cluster, 'cache:2', until);
    },
    isDone: (cluster) => isSettled(cluster) && images(cluster).length === 2,
  },
};
