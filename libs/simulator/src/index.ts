export * from './api-server/index.ts';
export * from './http/index.ts';
export { AttachedCluster } from './attached/attached-cluster.ts';
export type { AttachedOptions } from './attached/attached-cluster.ts';
export { SimulatedCluster } from './cluster/simulated-cluster.ts';
export type { ClusterOptions } from './cluster/simulated-cluster.ts';
export type { TestCluster } from './cluster/test-cluster.ts';
export { Operator } from './cluster/operator.ts';
export type { OperatorEnvironment, OperatorStart } from './cluster/operator.ts';
export type { OperatorCall, OperatorHooks, Verdict } from './cluster/operator-call.ts';
export { ObjectReader } from './cluster/objects.ts';
export { describeEntry, Trace } from './cluster/trace.ts';
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
export type { NodeFailure, NodeSetup } from './node/kubelet.ts';
export { allocatableBeside } from './controllers/scheduling/room.ts';
export { builtinProgram } from './programs/builtin-programs.ts';
export { VolumeStore } from './node/volumes.ts';
export { Scheduler } from './scheduler/scheduler.ts';
export type { RunOptions, RunOutcome, SchedulerOptions } from './scheduler/scheduler.ts';
export { actorName } from './cluster/record.ts';
export { seededRandom } from './scheduler/random.ts';
