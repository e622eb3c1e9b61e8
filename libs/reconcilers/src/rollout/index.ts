export { catchingUpAfter } from './catch-up.ts';
export * from './deadline.ts';
export * from './member.ts';
export * from './members.ts';
export * from './observation.ts';
export * from './outcome.ts';
export * from './rollout.ts';
export { brokenAfterMs } from './transit.ts';
export { closedGates } from './next.ts';
