import type { MonitoredStatefulSet } from '@ordinal/api';
import { ExternalError } from '@ordinal/lifecycle';
import type { MonitorRequest, MonitorSystem, MonitorView } from '@ordinal/reconcilers';
import type { OrdinalResource } from '../kinds.ts';
import type { Behaviour } from './behaviour.ts';
import type { Refusals } from './databases.ts';
import type { KnownFailure } from './failures.ts';
import { failureSaidBy, isOutage } from './failures.ts';

const traits = { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 } as const;

/** A monitor as it is played. */
export interface KnownMonitor {
  readonly endpoint: string;
  /** How calls of it fail, where they do. */
  readonly failure?: KnownFailure | undefined;
}

/** What a user says of the monitor of a set. */
export const saidOfMonitor = ({ spec }: MonitoredStatefulSet, { monitors }: Pick<Behaviour, 'monitors'>) =>
  monitors[spec.monitorEndpoint] ?? monitors['*'];

/** The monitors of these sets, and whether each answers: as the user says, or as the statuses of the sets say that are registered there. None is asked. Pure. */
export function knownMonitors(
  sets: readonly MonitoredStatefulSet[],
  behaviour: Pick<Behaviour, 'monitors'>,
): readonly KnownMonitor[] {
  const byEndpoint = Map.groupBy(sets, ({ spec }) => spec.monitorEndpoint);
  return [...byEndpoint].map(([endpoint, kept]) => {
    const [said] = kept.map((set) => saidOfMonitor(set, behaviour));
    if (said === 'answers') return { endpoint };
    const seen = kept.flatMap((set) => failureSaidBy(set) ?? []).find(isOutage);
    if (said === undefined || seen) return { endpoint, failure: seen };
    return { endpoint, failure: { code: 'Unreachable', message: 'it does not answer', by: '--members-behave' } };
  });
}

/** What a prediction rests on, of the monitors of these sets. Pure. */
export const monitorNotes = (
  monitors: readonly KnownMonitor[],
  sets: readonly MonitoredStatefulSet[],
): readonly string[] =>
  monitors
    .filter(({ endpoint }) => sets.some(({ spec }) => spec.monitorEndpoint === endpoint))
    .map(({ endpoint, failure }) =>
      failure
        ? `the monitor ${endpoint} does not answer (${failure.code}): ${failure.by} says so`
        : `the monitor ${endpoint} is not asked: it has what statuses say, and does at once what it is asked`,
    );

/** The monitors of a simulated world: they have what the statuses have on record, and answer where nothing says that they do not. */
export class AssumedMonitors {
  readonly #entries = new Map<string, Map<string, MonitorView>>();
  readonly #monitors: readonly KnownMonitor[];
  readonly #refusals: Refusals;

  /** `refusals`: what is not done for an object, by its UID; absent: all is done. */
  constructor(
    resources: readonly OrdinalResource[],
    monitors: readonly KnownMonitor[] = [],
    refusals: Refusals = new Map(),
  ) {
    this.#monitors = monitors;
    this.#refusals = refusals;
    for (const resource of resources) {
      if (resource.kind !== 'MonitoredStatefulSet') continue;
      for (const { endpoint, id, token, mutedSince } of resource.status?.registrations ?? [])
        if (id !== undefined)
          this.#at(endpoint).set(id, {
            ...{ id, owner: resource.metadata.uid, token, state: 'ready', muted: mutedSince !== undefined },
          });
    }
  }

  /** The monitor at an endpoint. */
  at(endpoint: string): MonitorSystem {
    const entries = this.#at(endpoint);
    const { failure } = this.#monitors.find((each) => each.endpoint === endpoint) ?? {};
    const answer = <T>(does: () => T, owner?: string): Promise<T> => {
      const fails = failure ?? (owner === undefined ? undefined : this.#refusals.get(owner));
      return fails ? Promise.reject(new ExternalError(fails.code, fails.message)) : Promise.resolve(does());
    };
    return {
      traits,
      get: (id) => answer(() => entries.get(id)),
      findByOwner: (owner) => answer(() => [...entries.values()].filter((entry) => entry.owner === owner)),
      create: ({ token, owner, desired: { muted } }) =>
        answer(() => {
          const first = [...entries.values()].find((entry) => entry.token === token);
          const entry = first ?? { id: `assumed-${entries.size + 1}`, owner, token, state: 'ready' as const, muted };
          entries.set(entry.id, entry);
          return entry;
        }, owner),
      update: (id, change: Partial<MonitorRequest>) =>
        answer(() => {
          const entry = entries.get(id);
          if (entry) entries.set(id, { ...entry, muted: change.muted ?? entry.muted });
        }, entries.get(id)?.owner),
      delete: ({ id }) => answer(() => void entries.delete(id)),
    };
  }

  #at(endpoint: string): Map<string, MonitorView> {
    const entries = this.#entries.get(endpoint) ?? new Map<string, MonitorView>();
    this.#entries.set(endpoint, entries);
    return entries;
  }
}
