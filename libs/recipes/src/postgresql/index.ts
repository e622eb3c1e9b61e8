export { PostgresqlStore } from './postgresql-store.ts';
export type { PostgresqlAuth, PostgresqlBackup, PostgresqlStoreOptions } from './options.ts';
