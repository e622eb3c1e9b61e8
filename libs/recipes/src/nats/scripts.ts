import { scriptsOf } from '../scripts.ts';

/** The scripts of NATS' members, run by the busybox that the pod's first container has put there. */
export const scripts = scriptsOf(
  'nats',
  ['/tools/busybox', 'sh'],
  ['member.sh', 'request.sh', 'start.sh', 'ready.sh', 'role.sh', 'in-step.sh', 'quorum.sh', 'handoff.sh', 'leave.sh'],
);
