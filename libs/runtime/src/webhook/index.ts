export * from './certificate-keeper.ts';
export * from './certificate-authority.ts';
export * from './json-patch.ts';
export * from './metrics.ts';
export * from './review.ts';
export * from './server.ts';
export * from './webhook.ts';
