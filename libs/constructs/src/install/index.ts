export * from './operator-install.ts';
export * from './options.ts';
export { operatorPermissions } from './generated/permissions.ts';
export { leaseNamesOf, workSlots } from './access.ts';
export { reservedNamespaces, systemNamespaces, type Reservation } from './reserved-namespaces.ts';
export { podRules } from './pod-security.ts';
export type { PodRule } from './pod-security-rules.ts';
export { alertGroup, alerts } from './monitoring.ts';
export {
  admissionKinds,
  operatorUser,
  sealSecretName,
  webhookNames,
  webhookPaths,
  webhookTimeouts,
  type ValidatedKind,
  type WebhookNames,
} from './webhooks.ts';
