import type { Container, Pod } from 'kubernetes-types/core/v1.js';
import { kinds } from '../controllers/kinds.ts';
import type { LivePod } from '../controllers/kinds.ts';
import { expanded } from './environment.ts';
import { hostNameOf, hostsOf } from './hosts.ts';
import { kernelFiles, sysctlFiles } from './kernel-files.ts';
import { mountsOf } from './mounts.ts';
import { originOf, resolvConf } from './names.ts';
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
}: Described): Omit<ContainerProcess, 'startedAt' | 'env' | 'log' | 'report'> {
  const current = (): LivePod =>
    node.store.find<Pod>(kinds.pod, pod.metadata.namespace ?? '', pod.metadata.name) ?? pod;
  const { runAsUser: uid, runAsGroup: gid } = { ...pod.spec?.securityContext, ...spec.securityContext };
  const mounts = mountsOf(spec, env);
  const origin = originOf(pod, podIp);
  // What is mounted of a volume is there, if nothing lies in it.
  for (const { name, subPath = '' } of mounts)
    if (subPath !== '') node.volumes.of(pod, name, node.store).set(`${subPath}/`, '');
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
    mounts,
    files: () => ({
      '/etc/hosts': hostsOf(pod, podIp),
      '/etc/hostname': `${hostNameOf(pod)}\n`,
      '/etc/resolv.conf': resolvConf(origin.names),
      ...(pod.spec && sysctlFiles(pod.spec)),
      ...kernelFiles(current().spec?.containers.find(({ name }) => name === spec.name) ?? spec),
    }),
    user: { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) },
    terminationMessagePath: spec.terminationMessagePath ?? '/dev/termination-log',
    // Labels and annotations that a volume shows may change.
    volume: (name) => node.volumes.of(current(), name, node.store),
    fetch: node.network.fetchAs(`pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name}`, origin),
    lookup: node.network.lookupFrom(origin),
  };
}
