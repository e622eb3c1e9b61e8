export * from './analysis.ts';
export { bakedAt, judgementOf, namesUpgrade } from './judgement.ts';
export type { Bake, Judgement, Named } from './judgement.ts';
