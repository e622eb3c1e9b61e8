import type { Condition, KubernetesObject } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';

/** What of a status these oracles read. */
export interface Shown {
  readonly phase?: string | undefined;
  readonly conditions?: readonly Condition[] | undefined;
}

/** What holds of a condition: its status, and the reason that it gives. */
type Holds = (type: string, status: Condition['status']) => boolean;

/** Two parts of one status that can't both be true. */
interface Contradiction {
  readonly what: string;
  readonly isSo: (status: Shown, holds: Holds) => boolean;
}

const phaseIs = ({ phase = '' }: Shown, ...phases: readonly string[]): boolean => phases.includes(phase);

const reasonOf = ({ conditions }: Shown, type: string): string =>
  conditions?.find((condition) => condition.type === type)?.reason ?? '';

/** A deletion that goes on without the backup that it requires: nothing of it fails or is tried again, and yet the user must learn of it. */
const hasLostItsBackup = (status: Shown): boolean =>
  phaseIs(status, 'Terminating') && reasonOf(status, 'Degraded') === 'FinalBackupLeftOut';

/** Reasons that say that something is under way and ends by itself. */
const passing: readonly string[] = ['Creating', 'Updating', 'Settling', 'Vanished', 'BeingDeleted', 'Deleting'];

const contradictions = {
  /** A database is Ready when it can be used: a provider that can't be asked does not change that. */
  CloudDatabase: [
    {
      what: 'phase Ready, and Ready is not true',
      isSo: (status, holds) => phaseIs(status, 'Ready') && !holds('Ready', 'True'),
    },
    {
      what: 'Ready is true, in a phase that is neither Ready nor Updating',
      isSo: (status, holds) => holds('Ready', 'True') && !phaseIs(status, 'Ready', 'Updating'),
    },
    {
      what: 'phase Failed, and Synced is true',
      isSo: (status, holds) => phaseIs(status, 'Failed') && holds('Synced', 'True'),
    },
    {
      what: 'phase Failed, and a reason that says that something is under way',
      isSo: (status) =>
        phaseIs(status, 'Failed') && ['Ready', 'Synced'].some((type) => passing.includes(reasonOf(status, type))),
    },
  ],
  /** The phase of a set follows its registration. */
  MonitoredStatefulSet: [
    {
      what: 'Ready is true, in a phase that is neither Registered nor Migrating',
      isSo: (status, holds) => holds('Ready', 'True') && !phaseIs(status, 'Registered', 'Migrating'),
    },
    {
      what: 'phase Failed, and neither Degraded nor MonitorRegistered says why',
      isSo: (status, holds) =>
        phaseIs(status, 'Failed') && !holds('Degraded', 'True') && !holds('MonitorRegistered', 'False'),
    },
    {
      what: 'Ready is true, and MonitorRegistered is not',
      isSo: (_, holds) => holds('Ready', 'True') && !holds('MonitorRegistered', 'True'),
    },
  ],
  KVStoreCluster: [
    {
      what: 'Ready is true, in a phase that is not Ready',
      isSo: (status, holds) => holds('Ready', 'True') && !phaseIs(status, 'Ready'),
    },
    {
      what: 'phase Ready, and Ready is not true',
      isSo: (status, holds) => phaseIs(status, 'Ready') && !holds('Ready', 'True'),
    },
    {
      what: 'phase Failed, and Degraded is not true',
      isSo: (status, holds) => phaseIs(status, 'Failed') && !holds('Degraded', 'True'),
    },
    {
      what: 'Degraded is true, in a phase that is not Failed',
      isSo: (status, holds) => holds('Degraded', 'True') && !phaseIs(status, 'Failed') && !hasLostItsBackup(status),
    },
  ],
  /** The seed gives a cache no phase: its conditions must agree with each other. */
  ClusteredCache: [
    {
      what: 'Ready is true, and Available is not',
      isSo: (_, holds) => holds('Ready', 'True') && holds('Available', 'False'),
    },
    {
      what: 'Ready is true, and an upgrade is under way',
      isSo: (_, holds) => holds('Ready', 'True') && (holds('Upgrading', 'True') || holds('Progressing', 'True')),
    },
    {
      what: 'Ready is true, and members are not ready',
      isSo: (status, holds) => holds('Ready', 'True') && reasonOf(status, 'Degraded') === 'MembersNotReady',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Contradiction[]>>;

/** How phase and conditions of a status contradict each other; empty where they agree. */
export function contradictionsIn(kind: keyof typeof contradictions, status: Shown | undefined): readonly string[] {
  if (status === undefined) return [];
  const holds: Holds = (type, value) =>
    status.conditions?.some((condition) => condition.type === type && condition.status === value) === true;
  const all: readonly Contradiction[] = contradictions[kind];
  return all.filter(({ isSo }) => isSo(status, holds)).map(({ what }) => what);
}

/**
 * Phase and conditions agree at every write: a client that reads one of them learns nothing that another denies. `storage` names the kind as the store does:
 * `kvstoreclusters.kvstore.example.com`.
 */
export const phaseAndConditionsAgree = (kind: keyof typeof contradictions, storage: string): Invariant => ({
  name: 'phase and conditions agree',
  afterChange: (_, { kind: changed, type, object }) => {
    if (changed !== storage || type === 'DELETED') return undefined;
    const { status } = object as KubernetesObject & { readonly status?: Shown }; // Every kind has a status of this shape.
    const found = contradictionsIn(kind, status);
    return found.length === 0 ? undefined : `${found.join('; ')}: ${JSON.stringify(shortOf(status))}`;
  },
});

/** Phase and conditions alone. */
export const shortOf = (status: Shown | undefined): readonly string[] => [
  status?.phase ?? 'no phase',
  ...(status?.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason}`),
];
