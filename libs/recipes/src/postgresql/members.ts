import { memberPodOf, taskPodOf } from '../stores.ts';
import type { StorePods } from '../stores.ts';
import type { PostgresqlStoreOptions } from './options.ts';
import { scripts } from './scripts.ts';

/** The port for clients. At the next one each member says to the others what it is. */
export const port = 5432;

const tlsFolder = '/tls';

/** The environment by which the scripts reach the members, in a member and in a Job alike. */
function environment({ auth, tls }: PostgresqlStoreOptions): object[] {
  const { secretName, superuserKey = 'superuser-password', replicationKey = 'replication-password' } = auth;
  const secret = (name: string, key: string): object => ({
    name,
    valueFrom: { secretKeyRef: { name: secretName, key } },
  });
  return [
    { name: 'PORT', value: String(port) },
    { name: 'STATE_PORT', value: String(port + 1) },
    secret('SUPERUSER_PASSWORD', superuserKey),
    secret('REPLICATION_PASSWORD', replicationKey),
    ...(tls ? [{ name: 'TLS', value: tlsFolder }] : []),
  ];
}

const podsOf = (options: PostgresqlStoreOptions): StorePods => ({
  name: options.name,
  scripts,
  // The user of the official image, by number.
  userId: 999,
  shellImage: options.shellImage,
  environment: environment(options),
  // The server wants a key that no other user can read.
  secrets: options.tls
    ? [{ name: 'tls', secretName: options.tls.secretName, mountPath: tlsFolder, defaultMode: 0o440 }]
    : [],
});

/** What is merged over the members' pod. */
export function memberPod(options: PostgresqlStoreOptions): object {
  const { settings = {}, resources, failoverSeconds = 10, backup } = options;
  const archives = backup?.archive === true;
  return memberPodOf(podsOf(options), {
    parameters: Object.entries(settings).map(([setting, value]) => `${setting}=${value}`),
    environment: [
      { name: 'FAILOVER', value: String(failoverSeconds) },
      ...(archives ? [{ name: 'ARCHIVE', value: 'yes' }] : []),
    ],
    resources,
    claimName: archives ? backup.claimName : undefined,
    terminationGracePeriodSeconds: 60,
  });
}

/** What is merged over the pod of each Job. */
export const taskPod = (options: PostgresqlStoreOptions): object =>
  taskPodOf(podsOf(options), options.backup?.claimName);

/** How members are replaced: the one that leads hands over, and no member goes while another one is behind. */
export function memberUpgrade() {
  const inStep = { exec: { command: scripts.command('in-step.sh') }, timeout: '20s' };
  return {
    role: { exec: { command: scripts.command('role.sh') }, leaderValue: 'primary', timeout: '20s' },
    handoff: { exec: { command: scripts.command('handoff.sh') }, timeout: '30s' },
    gates: [{ name: 'in-step', target: 'Peers' as const, ...inStep }],
    sync: inStep,
  };
}
