export * from './api-server/index.ts';
export { SimulatedCluster } from './cluster/simulated-cluster.ts';
export type { ClusterOptions } from './cluster/simulated-cluster.ts';
export { Operator } from './cluster/operator.ts';
export type { OperatorEnvironment, OperatorStart } from './cluster/operator.ts';
export type { OperatorCall, OperatorHooks, Verdict } from './cluster/operator-call.ts';
export { ObjectReader } from './cluster/objects.ts';
export { Trace } from './cluster/trace.ts';
export type { TraceEntry } from './cluster/trace.ts';
export { Network } from './node/network.ts';
export type { FetchLike, HttpHandler, NetworkFault, NetworkHook } from './node/network.ts';
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
