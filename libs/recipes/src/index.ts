export { RedisCache, RedisStore } from './redis/index.ts';
export type { RedisAuth, RedisBackup, RedisCacheOptions, RedisOptions, RedisStoreOptions } from './redis/index.ts';
