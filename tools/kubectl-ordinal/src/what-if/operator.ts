import { cloudDatabases } from '@ordinal/api';
import type { Client, ResourceDescriptor } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import { probesThrough } from '@ordinal/lifecycle';
import type { KindEnvironment } from '@ordinal/reconcilers';
import { kinds } from '@ordinal/reconcilers';
import type { EventRecorder } from '@ordinal/runtime';
import { createManager } from '@ordinal/runtime';
import type { OperatorEnvironment, OperatorStart } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import { ownSeals } from '../plan/believed.ts';
import { AssumedDatabases } from './databases.ts';
import type { Known } from './members.ts';
import { AssumedMonitors } from './monitors.ts';
import { ofKind } from './of-kind.ts';
import { playedKinds } from './seed.ts';

/** What is outside of a simulated world. It outlives the operator's crashes. */
export interface Outside {
  readonly monitors: AssumedMonitors;
  readonly databases: AssumedDatabases;
}

/** What is outside at first: as the statuses have it on record. */
export const outsideOf = ({
  resources,
  providers,
  monitors,
  refusals,
}: Pick<Known, 'resources' | 'providers' | 'monitors' | 'refusals'>): Outside => ({
  monitors: new AssumedMonitors(resources, monitors, refusals),
  databases: new AssumedDatabases(ofKind(cloudDatabases, resources), providers, refusals),
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
