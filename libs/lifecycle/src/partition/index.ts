export { aheadFrom, heldReplicasOf, isCatchingUp, maxThirdOf } from './ahead.ts';
export { frontierOf } from './frontier.ts';
export type { Frontier } from './frontier.ts';
export { everyMember, heldFrom, sizeOf } from './partitioned-set.ts';
export type { PartitionedSet, PartitionRecord } from './partitioned-set.ts';
export { releaseThroughGates } from './release.ts';
export type { Answered, Closed, Released } from './release.ts';
export { shrinkThroughGates } from './shrink.ts';
export type { Shrunk } from './shrink.ts';
