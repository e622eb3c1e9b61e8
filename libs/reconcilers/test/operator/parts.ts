import { createSecretKey } from 'node:crypto';
import type { Client } from '@ordinal/client';
import { createClient } from '@ordinal/client';
import type { Manager, ManagerOptions } from '@ordinal/runtime';
import { createManager } from '@ordinal/runtime';
import type { OperatorEnvironment, OperatorStart } from '@ordinal/simulator';
import type { Probes, Seals } from '@ordinal/lifecycle';
import { probesThrough } from '@ordinal/lifecycle';
import { loggerOf } from './logged.ts';
import { observing } from './observed.ts';

/** The seals of the simulation: every installation has the same key, so that histories repeat. */
const sealKey = createSecretKey(Buffer.alloc(32, 'simulated key'));
/** The keys of the operator under test. */
export const seals: Seals = { keys: () => [sealKey] };

/** What an operator is made of, for what runs beside its controllers. */
export interface OperatorParts {
  readonly manager: Manager;
  readonly client: Client;
  readonly probes: Probes;
  readonly environment: OperatorEnvironment;
}

/** The client of an operator that runs in this environment. */
export const clientOf = ({ transport, clock, random }: OperatorEnvironment): Client =>
  createClient({ transport, clock, random, fieldManager: 'ordinal-operator' });

/** Probes through the API server, or over the environment's network. */
export const probesOf = ({ http }: OperatorEnvironment, client: Client): Probes =>
  probesThrough(client, async (url, { method, signal, reader }) => {
    const reply = await http(url, { method, signal });
    const body = reader();
    body.push(Buffer.from(await reply.text()));
    return { status: reply.status, body: body.text() };
  });

/** The real manager of an operator that runs in this environment. Its events go nowhere by default. */
export function managerOf(
  environment: OperatorEnvironment,
  client: Client,
  more: Partial<Pick<ManagerOptions, 'events' | 'leaderElection' | 'shard'>> = {},
): Manager {
  const { clock, random, identity } = environment;
  const events = { publish: () => undefined };
  const named = { name: 'test/operator', identity };
  const manager = createManager({ client, clock, random, ...named, events, ...loggerOf(environment), ...more });
  return observing(manager, environment);
}

/** Starts a manager that has all its controllers: the last thing that an operator does when it starts. */
export function start(manager: Manager): ReturnType<OperatorStart> {
  void manager.start();
  return Promise.resolve({ stop: () => manager.stop() });
}
