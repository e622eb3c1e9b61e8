export { EtcdStore } from './etcd/index.ts';
export type { EtcdBackup, EtcdStoreOptions, EtcdTls } from './etcd/index.ts';
export { RedisCache, RedisStore } from './redis/index.ts';
export type { RedisAuth, RedisBackup, RedisCacheOptions, RedisOptions, RedisStoreOptions } from './redis/index.ts';
