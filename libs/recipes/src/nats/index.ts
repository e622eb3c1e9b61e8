export { NatsStore } from './nats-store.ts';
export type { NatsAuth, NatsStoreOptions } from './options.ts';
