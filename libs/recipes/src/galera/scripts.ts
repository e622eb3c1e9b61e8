import { scriptsOf } from '../scripts.ts';

/** The scripts of Galera's members, run by the busybox that the pod's first container has put there. */
export const scripts = scriptsOf(
  'galera',
  ['/tools/busybox', 'sh'],
  [
    'member.sh',
    'state.sh',
    'start.sh',
    'ready.sh',
    'in-step.sh',
    'quorum.sh',
    'leave.sh',
    'stream.sh',
    'backup.sh',
    'restore.sh',
  ],
);
