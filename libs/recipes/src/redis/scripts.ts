import { scriptsOf } from '../scripts.ts';

/** The scripts of Redis and Valkey, run by the image's own shell. */
export const scripts = scriptsOf(
  'redis',
  ['sh'],
  ['member.sh', 'start.sh', 'role.sh', 'in-step.sh', 'handoff.sh', 'backup.sh', 'restore.sh'],
);
