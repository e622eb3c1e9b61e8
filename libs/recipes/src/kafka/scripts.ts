import { scriptsOf } from '../scripts.ts';

/** The scripts of Kafka's members, run by the busybox that the pod's first container has put there. */
export const scripts = scriptsOf(
  'kafka',
  ['/tools/busybox', 'sh'],
  ['member.sh', 'start.sh', 'ready.sh', 'role.sh', 'in-step.sh', 'quorum.sh', 'leave.sh'],
);
