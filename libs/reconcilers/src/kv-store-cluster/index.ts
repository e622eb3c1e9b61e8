export * from './backup.ts';
export { NamespaceGate } from './backup/namespace-deletion.ts';
export * from './decide.ts';
export * from './kind.ts';
export * from './metrics.ts';
export * from './observation.ts';
export * from './reconcile.ts';
export * from './validate.ts';
export * from './webhook.ts';
