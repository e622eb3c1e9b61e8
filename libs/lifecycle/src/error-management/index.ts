export * from './error-management.ts';
