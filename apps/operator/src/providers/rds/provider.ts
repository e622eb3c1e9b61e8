import { checkEndpoint } from '@ordinal/lifecycle';
import { onDemand } from '../on-demand.ts';
import type { ProviderEnvironment, ProviderKind } from '../provider-kind.ts';
import { required } from '../provider-kind.ts';
import type { RdsOptions } from './rds.ts';

/** Instances of AWS RDS. */
export const rdsProvider = ({
  policy,
  lookup,
  callTimeoutMs,
}: Pick<ProviderEnvironment, 'policy' | 'lookup' | 'callTimeoutMs'>): ProviderKind => ({
  identity: ['region', 'accessKeyId', 'endpoint'],
  credentials: ['region', 'endpoint', 'accessKeyId', 'secretAccessKey', 'sessionToken'],
  open: ['settleSeconds'],
  create: (description) => {
    const { endpoint } = description;
    if (endpoint !== undefined) checkEndpoint(endpoint, policy);
    const account: RdsOptions = {
      region: required(description, 'region'),
      accessKeyId: required(description, 'accessKeyId'),
      secretAccessKey: required(description, 'secretAccessKey'),
      sessionToken: description['sessionToken'],
      endpoint,
      lookup,
      callTimeoutMs,
    };
    // An instance's identifier follows from the token, and lists may lag behind.
    const settleMs = Number(description['settleSeconds'] ?? 60) * 1_000;
    const traits = { repeatedCreate: 'returnsFirst', settleMs, callTimeoutMs } as const;
    return onDemand(traits, async () => (await import('./rds.ts')).rds(account));
  },
});
