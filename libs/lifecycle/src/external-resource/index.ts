export * from './call.ts';
export * from './cleanup-metrics.ts';
export * from './conformance.ts';
export { failedStatus, isRetained, retainedStatus } from './decision.ts';
export type {
  ExternalDecision,
  ExternalObservation,
  ExternalPolicy,
  ExternalReason,
  ExternalStatus,
} from './decision.ts';
export { checkAddress, checkEndpoint } from './endpoint-policy.ts';
export type { EndpointPolicy } from './endpoint-policy.ts';
export * from './error.ts';
export * from './delete.ts';
export * from './lookup.ts';
export { jittered, usualIntervals } from './poll.ts';
export type { PollIntervals } from './poll.ts';
export * from './rate-limit.ts';
export { announced, tokenOf } from './record.ts';
export type { ExternalRecord } from './record.ts';
export * from './ensure.ts';
export * from './system.ts';
export { inUseFinalizer, isProtectionOverdue, secretProtection } from './secret-protection.ts';
export type { SecretUse } from './secret-protection.ts';
export * from './write-back.ts';
export * from './secret-data.ts';
export * from './restored.ts';
