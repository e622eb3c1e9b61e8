export { EtcdStore } from './etcd-store.ts';
export type { EtcdBackup, EtcdStoreOptions, EtcdTls } from './options.ts';
