export * from './api-server/index.ts';
export * from './http/index.ts';
export { AttachedCluster } from './attached/attached-cluster.ts';
export type { AttachedOptions } from './attached/attached-cluster.ts';
export { SimulatedCluster } from './cluster/simulated-cluster.ts';
export type { ClusterOptions } from './cluster/simulated-cluster.ts';
export { Operator } from './cluster/operator.ts';
export type { OperatorEnvironment, OperatorStart } from './cluster/operator.ts';
export type { OperatorCall, OperatorHooks, Verdict } from './cluster/operator-call.ts';
export { ObjectReader } from './cluster/objects.ts';
export { Trace } from './cluster/trace.ts';
export type { TraceEntry } from './cluster/trace.ts';
export { Network } from './node/network.ts';
export type { HttpHandler, NetworkFault, NetworkHook } from './node/network.ts';
export type { FetchLike } from './node/fetch-like.ts';
export type {
  ContainerProcess,
  CrashPlan,
  Eventually,
  ImageProgram,
  SimulatedExit,
  SimulatedReply,
  SimulatedRequest,
} from './node/program.ts';
export { SimulatedNode } from './node/kubelet.ts';
export type { NodeFailure } from './node/kubelet.ts';
export { VolumeStore } from './node/volumes.ts';
export { Scheduler } from './scheduler/scheduler.ts';
export type { RunOptions, RunOutcome, SchedulerOptions } from './scheduler/scheduler.ts';
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
export { locateControlPlane } from './control-plane/locate.ts';
export type {
  ControlPlaneEnvironment,
  ControlPlaneSource,
  Located,
  LocatedComponents,
} from './control-plane/locate.ts';
export { startControlPlane } from './control-plane/start.ts';
export type { ControlPlane, ControlPlaneOptions, StartedControlPlane } from './control-plane/start.ts';
