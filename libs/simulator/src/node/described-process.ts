import type { Container } from 'kubernetes-types/core/v1.js';
import type { LivePod } from '../controllers/kinds.ts';
import { expanded } from './environment.ts';
import type { NodeEnvironment } from './node-environment.ts';
import type { ContainerProcess } from './program.ts';

/** A container that is to run, and where. */
export interface Described {
  readonly pod: LivePod;
  readonly spec: Container;
  readonly podIp: string;
  readonly node: NodeEnvironment;
  readonly restarts: number;
  readonly terminated: AbortSignal;
  /** Its variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** A process as its program sees it, without its variables and its log. */
export function describedProcess({
  pod,
  spec,
  podIp,
  node,
  restarts,
  terminated,
  env,
}: Described): Omit<ContainerProcess, 'startedAt' | 'env' | 'log'> {
  return {
    namespace: pod.metadata.namespace ?? '',
    pod: pod.metadata.name,
    podUid: pod.metadata.uid,
    podIp,
    node: node.name,
    container: spec.name,
    image: spec.image ?? '',
    command: [...(spec.command ?? []), ...(spec.args ?? [])].map((word) => expanded(word, env)),
    labels: pod.metadata.labels ?? {},
    restarts,
    clock: node.scheduler.clock,
    random: node.scheduler.random,
    terminated,
    memory: new Map(),
    volume: (name) => node.volumes.of(pod, name, node.store),
    fetch: node.network.fetchAs(`pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name}`),
  };
}
