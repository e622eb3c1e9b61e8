export * from './clock.ts';
export * from './transport.ts';
export * from './object.ts';
export * from './descriptor.ts';
export * from './client.ts';
export * from './error.ts';
export * from './builtin/index.ts';
