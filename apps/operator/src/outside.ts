import type { Client, Clock } from '@ordinal/client';
import { withinEachSecond } from '@ordinal/lifecycle';
import type { DatabaseProviders, Monitors } from '@ordinal/reconcilers';
import type { Logger } from '@ordinal/runtime';
import type { OperatorSettings } from './configuration/settings.ts';
import { DefaultAccount } from './default-account.ts';
import { createExchange, databaseProviders, httpMonitors } from './providers/index.ts';

/** How long a call of a monitor or provider may take, in milliseconds, as seed 002 has it. */
const callTimeoutMs = 5_000;

/** What is outside the cluster. */
export interface Outside {
  readonly monitors: Monitors;
  readonly providers: DatabaseProviders;
  close(): Promise<unknown>;
}

/** Makes what reaches monitors and providers, within the limits of the settings. Resolves when the default account was looked for. */
export async function reachOutside(
  settings: OperatorSettings,
  { client, clock, log }: { readonly client: Client; readonly clock: Clock; readonly log: Logger },
): Promise<Outside> {
  const defaultAccount = new DefaultAccount({ client, clock, log, place: settings.providerSecret });
  await defaultAccount.start();
  const policy = {
    ...(settings.allowedHosts.length > 0 ? { allowedHosts: settings.allowedHosts } : {}),
    ...(settings.allowedNetworks.length > 0 ? { allowedNetworks: settings.allowedNetworks } : {}),
  };
  const exchange = createExchange({ policy, timeoutMs: callTimeoutMs });
  const rateLimit = withinEachSecond(settings.providerRate);
  return {
    monitors: httpMonitors({ exchange, policy, callTimeoutMs, settleMs: settings.monitorSettle }),
    providers: databaseProviders({
      clock,
      exchange,
      policy,
      callTimeoutMs,
      rateLimit,
      defaultAccount: () => defaultAccount.current(),
    }),
    close: () => {
      defaultAccount.close();
      return exchange.close();
    },
  };
}
