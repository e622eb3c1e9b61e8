import { scriptsOf } from '../scripts.ts';

/** The scripts of RabbitMQ's members, run by the busybox that the pod's first container has put there, and what the server itself answers them with. */
export const scripts = scriptsOf(
  'rabbitmq',
  ['/tools/busybox', 'sh'],
  [
    'member.sh',
    'recipe.erl',
    'start.sh',
    'ready.sh',
    'role.sh',
    'in-step.sh',
    'quorum.sh',
    'leave.sh',
    'features.sh',
    'ctl.sh',
  ],
);
