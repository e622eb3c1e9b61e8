import { cloudDatabases } from '@ordinal/api';
import type { Client, ResourceDescriptor } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import { probesThrough } from '@ordinal/lifecycle';
import type { KindEnvironment, MonitorRequest, MonitorSystem, MonitorView } from '@ordinal/reconcilers';
import { kinds } from '@ordinal/reconcilers';
import type { EventRecorder } from '@ordinal/runtime';
import { createManager } from '@ordinal/runtime';
import type { OperatorEnvironment, OperatorStart } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import { ownSeals } from '../plan/believed.ts';
import { AssumedDatabases } from './databases.ts';
import type { Known } from './members.ts';
import { ofKind } from './of-kind.ts';
import { playedKinds } from './seed.ts';

const traits = { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 } as const;

/** The monitors of a simulated world: they answer, and have what the statuses have on record. */
export class AssumedMonitors {
  readonly #entries = new Map<string, Map<string, MonitorView>>();

  constructor(resources: readonly OrdinalResource[]) {
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
    return {
      traits,
      get: (id) => Promise.resolve(entries.get(id)),
      findByOwner: (owner) => Promise.resolve([...entries.values()].filter((entry) => entry.owner === owner)),
      create: ({ token, owner, desired: { muted } }) => {
        const first = [...entries.values()].find((entry) => entry.token === token);
        const entry = first ?? { id: `assumed-${entries.size + 1}`, owner, token, state: 'ready' as const, muted };
        entries.set(entry.id, entry);
        return Promise.resolve(entry);
      },
      update: (id, change: Partial<MonitorRequest>) => {
        const entry = entries.get(id);
        if (entry) entries.set(id, { ...entry, muted: change.muted ?? entry.muted });
        return Promise.resolve();
      },
      delete: ({ id }) => Promise.resolve(void entries.delete(id)),
    };
  }

  #at(endpoint: string): Map<string, MonitorView> {
    const entries = this.#entries.get(endpoint) ?? new Map<string, MonitorView>();
    this.#entries.set(endpoint, entries);
    return entries;
  }
}

/** What is outside of a simulated world. It outlives the operator's crashes. */
export interface Outside {
  readonly monitors: AssumedMonitors;
  readonly databases: AssumedDatabases;
}

/** What is outside at first: as the statuses have it on record. */
export const outsideOf = ({ resources, providers }: Pick<Known, 'resources' | 'providers'>): Outside => ({
  monitors: new AssumedMonitors(resources),
  databases: new AssumedDatabases(ofKind(cloudDatabases, resources), providers),
});

function environmentOf({ http }: OperatorEnvironment, client: Client, outside: Outside): KindEnvironment {
  return {
    probes: probesThrough(client, async (url, { method, signal, reader }) => {
      const reply = await http(url, { method, signal });
      const body = reader();
      body.push(Buffer.from(await reply.text()));
      return { status: reply.status, body: body.text() };
    }),
    seals: ownSeals,
    monitors: { at: (endpoint) => outside.monitors.at(endpoint) },
    providers: outside.databases.accounts,
    newPassword: () => 'not read',
  };
}

interface SimulatedOperatorOptions {
  readonly of?: readonly ResourceDescriptor<OrdinalResource>[];
  readonly events?: EventRecorder;
}

const unsaid: EventRecorder = { publish: () => undefined };

/** The operator's own controllers of these kinds, in a simulated cluster. `events`: who hears what it says; absent: none. */
export function simulatedOperator(
  outside: Outside,
  { of = playedKinds, events = unsaid }: SimulatedOperatorOptions = {},
): OperatorStart {
  return (environment) => {
    const { transport, clock, random, identity } = environment;
    const client = createClient({ transport, clock, random, fieldManager: 'ordinal-operator' });
    const manager = createManager({ client, clock, random, name: 'ordinal.dev/operator', identity, events });
    const played = kinds.filter(({ descriptor }) => of.some(({ kind }) => kind === descriptor.kind));
    for (const definition of played.flatMap((kind) => kind.controllers(environmentOf(environment, client, outside))))
      manager.add(definition);
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  };
}
