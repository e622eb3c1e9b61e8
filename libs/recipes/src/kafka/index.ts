export { KafkaStore } from './kafka-store.ts';
export type { KafkaStoreOptions } from './options.ts';
