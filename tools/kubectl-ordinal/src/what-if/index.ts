export { behaviourIn } from './behaviour.ts';
export { renderPrediction } from './render.ts';
export { defaultSeed, predict } from './what-if.ts';
