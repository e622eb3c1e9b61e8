export * from './api-server/index.ts';
