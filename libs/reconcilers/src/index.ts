export * from './decision/index.ts';
