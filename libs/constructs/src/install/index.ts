export { allowDeletionAnnotation } from './definitions.ts';
export * from './operator-install.ts';
export * from './options.ts';
export { operatorPermissions, operatorVersion } from './generated/permissions.ts';
export { alertGroup, alerts } from './monitoring.ts';
export {
  admissionKinds,
  webhookCertificateName,
  webhookConfigurationName,
  webhookPaths,
  webhookServiceName,
  type ValidatedKind,
} from './webhooks.ts';
