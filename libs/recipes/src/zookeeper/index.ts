export type { ZookeeperAuth, ZookeeperStoreOptions } from './options.ts';
export { ZookeeperStore } from './zookeeper-store.ts';
