export * from './backup.ts';
export { leaveBackupsOutAnnotation, NamespaceGate } from './backup/namespace-deletion.ts';
export { abortAnnotation, promoteAnnotation } from './canary.ts';
export * from './decide.ts';
export * from './metrics.ts';
export { skipAnnotation } from './deletion-tasks.ts';
export * from './observation.ts';
export * from './reconcile.ts';
export * from './validate.ts';
