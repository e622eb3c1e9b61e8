import { secrets } from '@ordinal/client';
import type { Client, Clock } from '@ordinal/client';
import { withinEachSecond } from '@ordinal/reconcilers';
import type { DatabaseProviders, Monitors } from '@ordinal/reconcilers';
import type { OperatorSettings } from './configuration/settings.ts';
import { createExchange, databaseProviders, httpMonitors } from './providers/index.ts';

/** How long a call of a monitor or provider may take, in milliseconds, as seed 002 has it. */
const callTimeoutMs = 5_000;

/** What is outside the cluster. */
export interface Outside {
  readonly monitors: Monitors;
  readonly providers: DatabaseProviders;
  close(): Promise<unknown>;
}

/** Makes what reaches monitors and providers, within the limits of the settings. Rejects where the Secret of the default account is not there. */
export async function reachOutside(settings: OperatorSettings, client: Client, clock: Clock): Promise<Outside> {
  const defaultAccount = await readSecret(client, settings.providerSecret);
  const policy = {
    ...(settings.allowedHosts.length > 0 ? { allowedHosts: settings.allowedHosts } : {}),
    ...(settings.allowedNetworks.length > 0 ? { allowedNetworks: settings.allowedNetworks } : {}),
  };
  const exchange = createExchange({ policy, timeoutMs: callTimeoutMs });
  const rateLimit = withinEachSecond(settings.providerRate);
  return {
    monitors: httpMonitors({ exchange, policy, callTimeoutMs }),
    providers: databaseProviders({
      clock,
      exchange,
      policy,
      callTimeoutMs,
      rateLimit,
      ...(defaultAccount ? { defaultAccount } : {}),
    }),
    close: () => exchange.close(),
  };
}

/** The values of the Secret that describes the default provider account. Rejects where it is named and not there. */
async function readSecret(client: Client, place: string): Promise<Readonly<Record<string, string>> | undefined> {
  if (place === '') return undefined;
  const [namespace = '', name = ''] = place.split('/');
  const secret = await client(secrets).namespace(namespace).find(name);
  if (!secret)
    throw new Error(`--provider-secret names ${place}, and there is no such Secret: create it, or leave the flag out`);
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}
