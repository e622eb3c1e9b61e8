export { RabbitmqStore } from './rabbitmq-store.ts';
export type { RabbitmqAuth, RabbitmqStoreOptions } from './options.ts';
