export { behaviourIn } from './behaviour.ts';
export { renderPrediction } from './render.ts';
export { predict } from './what-if.ts';
