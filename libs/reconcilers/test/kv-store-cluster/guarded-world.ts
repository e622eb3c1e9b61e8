import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { kvStoreVolume } from '@ordinal/constructs';
import type { TestCluster } from '@ordinal/simulator';
import { isBystander } from '../world/bystander.ts';
import { Memories } from '../world/restored.ts';

/** How long a replacement needs from when it is ready until it has all data, in milliseconds. */
const catchesUpInMs = 20_000;

/** What the members of a world with every guard know. */
interface Guards {
  /** Until when the member with the lowest ordinal keeps the gate for its peers closed. */
  closedUntil: number;
  /** Who leads, by name; a member that is lost while it leads is followed by another one. */
  leader: string;
  /** The UIDs of those that have handed over. */
  readonly handedOver: Set<string>;
  /** The UIDs of those that had all data from the beginning. */
  readonly first: Set<string>;
}

/** Whose gate it is. The operator asks it for its peers, and not when the member goes itself. */
const gateOf = 'orders-0';

const known = new WeakMap<TestCluster, Guards>();

/** What the members of this world know. */
export function guardsOf(cluster: TestCluster): Guards {
  const guards = known.get(cluster) ?? {
    ...{ closedUntil: 0, leader: 'orders-2' },
    ...{ handedOver: new Set<string>(), first: new Set<string>() },
  };
  known.set(cluster, guards);
  return guards;
}

/** The names of members that were released and have not come back, and the UIDs of those that have: what is lost by another hand is not among them. */
export const releases = new Memories(() => ({ down: new Set<string>(), replaced: new Set<string>() }));

/** The members that there are. */
export const guardedMembers = (cluster: TestCluster): readonly Pod[] =>
  cluster.objects.list(pods, 'default').filter((pod) => pod.metadata.labels?.['app'] === 'orders' && !isBystander(pod));

const readySince = ({ status }: Pod): number | undefined => {
  const ready = status?.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'True');
  return ready?.lastTransitionTime === undefined ? undefined : Date.parse(ready.lastTransitionTime);
};

/** Whether a member serves. */
export const serves = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined && readySince(pod) !== undefined;

/** Closes the gates for so long. */
export function close(cluster: TestCluster, forMs: number): void {
  guardsOf(cluster).closedUntil = cluster.clock.now() + forMs;
}

/** Whether the gates are closed. */
export const areClosed = (cluster: TestCluster): boolean => cluster.clock.now() < guardsOf(cluster).closedUntil;

/** From now on, those that are there are those that have all data. */
export function allHaveData(cluster: TestCluster): void {
  for (const { metadata } of guardedMembers(cluster)) guardsOf(cluster).first.add(metadata.uid);
}

/** Whether a member has all data: from the beginning, or since it has caught up. */
export function hasData(cluster: TestCluster, pod: Pod): boolean {
  const since = readySince(pod);
  if (guardsOf(cluster).first.has(pod.metadata.uid)) return true;
  return since !== undefined && cluster.clock.now() >= since + catchesUpInMs;
}

/**
 * Who leads now: where the leader does not serve, or has handed over, another member that serves and has all data takes over. One that has handed over itself leads again only
 * where no other can, as after a restore of etcd that brings it back. Call it at each change of a pod: an election waits for no question.
 */
export function leaderOf(cluster: TestCluster): string {
  const guards = guardsOf(cluster);
  const members = guardedMembers(cluster);
  const leader = members.find(({ metadata }) => metadata.name === guards.leader);
  const isServing = leader !== undefined && serves(leader);
  if (isServing && !guards.handedOver.has(leader.metadata.uid)) return guards.leader;
  const others = members.filter((pod) => pod !== leader && serves(pod) && hasData(cluster, pod));
  const [again] = isServing ? others : [];
  const successor = others.find(({ metadata }) => !guards.handedOver.has(metadata.uid)) ?? again;
  if (!successor) return guards.leader;
  guards.handedOver.delete(successor.metadata.uid);
  guards.leader = successor.metadata.name;
  return guards.leader;
}

/** In place of the images of the world, those whose members tell their role and whether they have all data, hand over, and keep a gate for their peers. */
export function installGuardedImages(cluster: TestCluster): void {
  const http = ({ url }: { readonly url: URL }, { pod }: { readonly pod: string }) => {
    const member = guardedMembers(cluster).find(({ metadata }) => metadata.name === pod);
    if (url.pathname === '/gate') return pod === gateOf && areClosed(cluster) ? 503 : 200;
    if (url.pathname === '/handoff' && member) guardsOf(cluster).handedOver.add(member.metadata.uid);
    if (url.pathname === '/role') return { status: 200, body: leaderOf(cluster) === pod ? 'leader' : 'follower' };
    if (url.pathname === '/sync') return member && hasData(cluster, member) ? 200 : 503;
    return 200;
  };
  for (const version of ['1.0', '2.0', '3.0']) {
    cluster.image(`my-repo/kvstore:${version}`, {
      startsIn: 2_000,
      http,
      run: (process) => {
        if (process.env['ORDINAL_PURPOSE'] !== undefined) return 0;
        process.volume(kvStoreVolume).set('data', process.pod);
        return new Promise<number>(() => undefined);
      },
    });
  }
}

/** A gate of the peers, a hand-off, roles and data: all that can be asked. */
export const guards = {
  gates: [{ name: 'peers', target: 'Peers', http: { path: '/gate' } }],
  handoff: { http: { path: '/handoff' } },
  role: { http: { path: '/role' } },
  sync: { http: { path: '/sync' } },
} as const;

/** What is wrong with releasing this serving member now; undefined where nothing is. */
export function wrongWith(cluster: TestCluster, { metadata: { name, uid } }: Pod): string | undefined {
  const { handedOver } = guardsOf(cluster);
  const { down, replaced } = releases.of(cluster);
  if (areClosed(cluster) && name !== gateOf) return `${name} was released while a gate was closed`;
  if (!handedOver.has(uid)) return `${name} was released and had not handed over`;
  const [other] = [...down].filter((each) => each !== name);
  if (other !== undefined) return `${name} was released while ${other} had not come back`;
  const behind = guardedMembers(cluster).find(
    (pod) => pod.metadata.uid !== uid && replaced.has(pod.metadata.uid) && serves(pod) && !hasData(cluster, pod),
  );
  return behind && `${name} was released before ${behind.metadata.name} had all data`;
}
