export { GaleraStore } from './galera-store.ts';
export type { GaleraAuth, GaleraBackup, GaleraStoreOptions } from './options.ts';
