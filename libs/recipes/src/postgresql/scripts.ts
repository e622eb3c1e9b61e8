import { scriptsOf } from '../scripts.ts';

/** The scripts of PostgreSQL's members, run by the busybox that the pod's first container has put there. */
export const scripts = scriptsOf(
  'postgresql',
  ['/tools/busybox', 'sh'],
  [
    'member.sh',
    'state.sh',
    'start.sh',
    'ready.sh',
    'role.sh',
    'in-step.sh',
    'handoff.sh',
    'leave.sh',
    'archive.sh',
    'backup.sh',
    'restore.sh',
  ],
);
