export * from './database-providers.ts';
export * from './http/exchange.ts';
export * from './http/monitors.ts';
