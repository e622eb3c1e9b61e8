import type { LivePod } from '../kinds.ts';

interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** The ports of its node that a pod takes. */
function hostPortsOf({ spec }: LivePod): readonly HostPort[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP = '', protocol = 'TCP' }) =>
      hostPort === undefined || hostPort === 0 ? [] : [{ ip: hostIP || '0.0.0.0', protocol, port: hostPort }],
    ),
  );
}

const collide = (one: HostPort, other: HostPort): boolean =>
  one.port === other.port &&
  one.protocol === other.protocol &&
  (one.ip === other.ip || one.ip === '0.0.0.0' || other.ip === '0.0.0.0');

/** Why a pod can't run beside others on a node, in the scheduler's words. */
export const takenPorts = "node(s) didn't have free ports for the requested pod ports";

/** Whether a pod asks for a port of the node that one of the others has. */
export function portsCollide(pod: LivePod, others: readonly LivePod[]): boolean {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return false;
  return others.some((other) => hostPortsOf(other).some((taken) => wanted.some((port) => collide(port, taken))));
}
