import { scriptsOf } from '../scripts.ts';

/** The scripts of ZooKeeper's members, run by the busybox that the pod's first container has put there. */
export const scripts = scriptsOf(
  'zookeeper',
  ['/tools/busybox', 'sh'],
  ['member.sh', 'start.sh', 'ready.sh', 'role.sh', 'in-step.sh', 'quorum.sh', 'handoff.sh', 'leave.sh'],
);
