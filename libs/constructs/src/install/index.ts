export * from './operator-install.ts';
export * from './options.ts';
export { alertGroup, alerts } from './monitoring.ts';
export { webhookConfigurationName, webhookPaths, type ValidatedKind } from './webhooks.ts';
