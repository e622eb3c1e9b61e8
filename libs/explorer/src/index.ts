export { explore, replay } from './explore/explore.ts';
export type { ExploreOptions, ReplayOptions } from './explore/explore.ts';
export { runHistory } from './explore/history.ts';
export type { HistoryOptions, HistoryOutcome } from './explore/history.ts';
export { describeFailure, describeReport, failureReport } from './explore/report.ts';
export type { ExploreReport, Failure } from './explore/report.ts';
export { shortState } from './explore/scenario.ts';
export type { Scenario } from './explore/scenario.ts';
export { defaultFaults, enumerateFaults } from './faults/catalogue.ts';
export type { FaultGround } from './faults/catalogue.ts';
export { EtcdRestore } from './faults/etcd-restore.ts';
export type { RestoreOptions, RestoreTarget } from './faults/etcd-restore.ts';
export { describeFault, describePoint } from './faults/fault.ts';
export type { Fault, FaultName, FaultPoint } from './faults/fault.ts';
export { FaultInjector } from './faults/injector.ts';
export type { FaultTarget, Mistake, UserAction } from './faults/injector.ts';
export { compareLives, countLives } from './oracles/counts.ts';
export type { LifeCounts, LifeSummary } from './oracles/counts.ts';
export {
  claimsAreNotOwnedBy,
  deletesNameTheirObject,
  generalInvariants,
  noFinalizerWhileDeleting,
} from './oracles/general.ts';
export type { Invariant, ObservedChange, ObservedRequest, Violation } from './oracles/invariant.ts';
export { watchInvariants } from './oracles/watcher.ts';
