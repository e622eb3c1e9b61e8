export * from './connection-secret.ts';
