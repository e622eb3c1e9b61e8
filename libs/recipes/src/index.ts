export { EtcdStore } from './etcd/index.ts';
export type { EtcdBackup, EtcdStoreOptions, EtcdTls } from './etcd/index.ts';
export { NatsStore } from './nats/index.ts';
export type { NatsAuth, NatsStoreOptions } from './nats/index.ts';
export { PostgresqlStore } from './postgresql/index.ts';
export type { PostgresqlAuth, PostgresqlBackup, PostgresqlStoreOptions } from './postgresql/index.ts';
export { RedisCache, RedisStore } from './redis/index.ts';
export type { RedisAuth, RedisBackup, RedisCacheOptions, RedisOptions, RedisStoreOptions } from './redis/index.ts';
