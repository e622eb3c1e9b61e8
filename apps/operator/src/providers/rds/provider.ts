import { checkEndpoint } from '@ordinal/lifecycle';
import { onDemand } from '../on-demand.ts';
import type { ProviderEnvironment, ProviderKind } from '../provider-kind.ts';
import { required } from '../provider-kind.ts';
import type { RdsOptions } from './rds.ts';
import { rdsTraits } from './traits.ts';

/** Instances of AWS RDS. */
export const rdsProvider = ({ policy, lookup, callTimeoutMs }: ProviderEnvironment): ProviderKind => ({
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
      settleMs: Number(description['settleSeconds'] ?? 60) * 1_000,
    };
    return onDemand(rdsTraits(account), async () => (await import('./rds.ts')).rds(account));
  },
});
