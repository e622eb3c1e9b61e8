export * from './analysis.ts';
export * from './judgement.ts';
