import type { Invariant, ObservedRequest } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';

/** How often an object may be written as it was: where a reply was lost, or the past is seen, this can't be known. */
const forgiven = 3;

/**
 * Nothing is written when nothing changes: what the operator patches or applies is another object then. Statuses as well. `excused` names the writes whose success is
 * all that they are for.
 */
export function nothingIsWrittenInVain(excused: (request: ObservedRequest) => boolean = () => false): Invariant {
  const last = new WeakMap<TestCluster, { readonly revision: number; readonly of: string }>();
  const needless = new WeakMap<TestCluster, Map<string, number>>();
  return {
    name: 'a write changes something (S0.23)',
    afterChange: (cluster, { kind, object }) => {
      last.set(cluster, { revision: cluster.server.store.revision, of: `${kind} ${object.metadata.name}` });
      return undefined;
    },
    afterRequest: (cluster, request) => {
      const { verb, kind, name = '', status } = request;
      if (!['patch', 'apply', 'update'].includes(verb) || status >= 300 || excused(request)) return undefined;
      const known = last.get(cluster);
      const of = `${kind} ${name}`;
      if (known?.revision === cluster.server.store.revision && known.of === of) return undefined;
      const counts = needless.get(cluster) ?? new Map<string, number>();
      needless.set(cluster, counts);
      counts.set(of, (counts.get(of) ?? 0) + 1);
      return (counts.get(of) ?? 0) > forgiven ? `${of} was written as it was, again and again` : undefined;
    },
  };
}
