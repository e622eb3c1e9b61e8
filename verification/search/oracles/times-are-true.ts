import type { Condition, KubernetesObject } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';

/** What of a status these oracles read. */
interface Timed extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly processingError?: { readonly since: string };
  };
}

/**
 * Times in a status say when something began, and stay while it lasts: with a new time at each look every status would differ from the one before, and each
 * write would be followed by the next (S0.23). `storage` names the kind: `kvstoreclusters.kvstore.example.com`.
 */
export function timesAreTrue(storage: string): readonly Invariant[] {
  const after =
    (check: (now: Timed, before: Timed) => string | undefined): NonNullable<Invariant['afterChange']> =>
    (_, { kind, type, object, previous }) =>
      kind === storage && type === 'MODIFIED' && previous ? check(object, previous) : undefined;
  return [
    {
      name: 'a condition has a new time only with a new status (S0.23)',
      afterChange: after((now, before) => {
        const moved = now.status?.conditions?.find(({ type, status, lastTransitionTime }) =>
          before.status?.conditions?.some(
            (one) => one.type === type && one.status === status && one.lastTransitionTime !== lastTransitionTime,
          ),
        );
        return moved && `${moved.type} is ${moved.status} as before, and since ${moved.lastTransitionTime} only`;
      }),
    },
    {
      name: 'a failure that lasts keeps its beginning (S0.23)',
      afterChange: after((now, before) => {
        const [since, known] = [now.status?.processingError?.since, before.status?.processingError?.since];
        // An operator whose clock was set back may find that it can't have begun later than now.
        return since !== undefined && known !== undefined && Date.parse(since) > Date.parse(known)
          ? `it has failed since ${known}, and now it is since ${since}`
          : undefined;
      }),
    },
  ];
}
