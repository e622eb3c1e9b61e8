export { RedisCache } from './redis-cache.ts';
export { RedisStore } from './redis-store.ts';
export type { RedisAuth, RedisBackup, RedisCacheOptions, RedisOptions, RedisStoreOptions } from './options.ts';
