import type { Pod } from '@ordinal/client';
import { controllerOf, pods, statefulSets } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import { claimsAreNotOwnedBy, generalInvariants } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import { isReady } from '../checks/is-ready.ts';
import { playedKinds } from './seed.ts';

/** How many members of a set may be down by the operator's own hand. */
function mayBeDown(cluster: TestCluster, namespace: string, name: string): number {
  for (const descriptor of playedKinds) {
    const found: OrdinalResource | undefined = cluster.objects.find(descriptor, namespace, name);
    if (found === undefined) continue;
    const { maxUnavailable = 1 } = (found.spec as { upgrade?: { maxUnavailable?: number | string } }).upgrade ?? {}; // Of the kinds that have it.
    const replicas = cluster.objects.find(statefulSets, namespace, name)?.spec.replicas ?? 1;
    const share = /^(\d+)%$/.exec(String(maxUnavailable))?.[1];
    return Math.max(1, share === undefined ? Number(maxUnavailable) : Math.floor((replicas * Number(share)) / 100));
  }
  return 1;
}

/** The operator deletes a member that serves only while fewer than may be of those that it took down have not come back. */
function fewAreDown(): Invariant {
  const down = new Set<string>();
  const last = new Map<string, Pod>();
  const isKept = (cluster: TestCluster, namespace: string, member: string): boolean => {
    const end = member.lastIndexOf('-');
    const { replicas = 1 } = cluster.objects.find(statefulSets, namespace, member.slice(0, end))?.spec ?? {};
    return Number(member.slice(end + 1)) < replicas;
  };
  return {
    name: 'no more members are down by the operator’s hand than maxUnavailable allows',
    afterChange: (_, { kind, type, object, previous }) => {
      if (kind !== pods.plural || type === 'DELETED') return undefined;
      const pod = object as Pod; // Of this kind.
      const { name, deletionTimestamp } = pod.metadata;
      if (isReady(pod)) down.delete(name);
      if (deletionTimestamp === undefined) last.set(name, pod);
      else if (previous?.metadata.deletionTimestamp === undefined && previous) last.set(name, previous as Pod);
      return undefined;
    },
    afterRequest: (cluster, { verb, kind, namespace = '', name = '', status, subresource }) => {
      if (verb !== 'delete' || kind !== pods.plural || status >= 300 || subresource !== undefined) return undefined;
      const target = last.get(name);
      const set = target ? controllerOf(target)?.name : undefined;
      if (!target || set === undefined) return undefined;
      const prefix = `${set}-`;
      const others = [...down].filter(
        (other) => other !== name && other.startsWith(prefix) && isKept(cluster, namespace, other),
      );
      down.add(name);
      if (!isReady(target) || others.length < mayBeDown(cluster, namespace, set)) return undefined;
      return `${name} was serving and deleted while ${others.join(', ')} had not come back`;
    },
  };
}

/** Claims go only where they go without faults too: with them goes data. */
function volumesStay(gone: ReadonlySet<string>): Invariant {
  return {
    name: 'no volume claim is deleted that stays without faults',
    afterChange: (_, { kind, type, object }) =>
      kind === 'persistentvolumeclaims' && type === 'DELETED' && !gone.has(object.metadata.name)
        ? `${object.metadata.name} was deleted`
        : undefined,
  };
}

/** When all is done no member hangs in its deletion. */
const noneHangs: Invariant = {
  name: 'no member hangs in its deletion when all is done',
  atEnd: ({ objects }) => {
    const hanging = objects.list(pods).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    return hanging.length === 0 ? undefined : hanging.map(({ metadata }) => metadata.name).join(', ');
  },
};

/** What every history has to keep, beside that it comes to its end and the operator is quiet then: for one history. `gone`: the claims that go without faults. */
export const invariantsOf = (gone: ReadonlySet<string>): readonly Invariant[] => [
  ...generalInvariants,
  ...playedKinds.map(({ kind }) => claimsAreNotOwnedBy(kind)),
  ...[fewAreDown(), volumesStay(gone), noneHangs],
];
