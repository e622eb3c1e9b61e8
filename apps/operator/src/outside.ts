import type { Client, Clock } from '@ordinal/client';
import type { RateLimit } from '@ordinal/lifecycle';
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

/** What it is made with. */
interface Around {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Which part of the work is this process's now, from 0 to 1. */
  readonly share: () => number;
}

/** The part of a limit that is this process's: replicas that share the work call the same accounts. */
export function partOf({ perSecond, burst }: RateLimit, share: () => number): RateLimit {
  // Without a share no call is begun, and those that are under way end.
  const part = (): number => share() || 1;
  return {
    get perSecond() {
      return perSecond * part();
    },
    get burst() {
      return Math.max(1, Math.floor(burst * part()));
    },
  };
}

/** Makes what reaches monitors and providers, within the limits of the settings. Resolves when the default account was looked for. */
export async function reachOutside(
  settings: OperatorSettings,
  { client, clock, log, share }: Around,
): Promise<Outside> {
  const defaultAccount = new DefaultAccount({ client, clock, log, place: settings.providerSecret });
  await defaultAccount.start();
  const policy = {
    ...(settings.allowedHosts.length > 0 ? { allowedHosts: settings.allowedHosts } : {}),
    ...(settings.allowedNetworks.length > 0 ? { allowedNetworks: settings.allowedNetworks } : {}),
  };
  const exchange = createExchange({ policy, timeoutMs: callTimeoutMs });
  const rateLimit = partOf(withinEachSecond(settings.providerRate), share);
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
