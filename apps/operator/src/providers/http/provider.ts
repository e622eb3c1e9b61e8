import { checkEndpoint } from '@ordinal/lifecycle';
import type { ProviderEnvironment, ProviderKind } from '../provider-kind.ts';
import { required } from '../provider-kind.ts';
import { cloudApi } from './cloud-api.ts';

/** A cloud API over HTTP. */
export const httpProvider = ({ exchange, policy, callTimeoutMs }: ProviderEnvironment): ProviderKind => ({
  identity: ['endpoint', 'account'],
  credentials: ['endpoint', 'token'],
  open: ['idempotency', 'settleSeconds'],
  create: (description) => {
    const endpoint = required(description, 'endpoint');
    checkEndpoint(endpoint, policy);
    const settleMs = Number(description['settleSeconds'] ?? 10) * 1_000;
    const idempotency = description['idempotency'] !== 'false';
    return cloudApi(
      { endpoint, token: required(description, 'token'), idempotency, settleMs, callTimeoutMs },
      exchange,
    );
  },
});
