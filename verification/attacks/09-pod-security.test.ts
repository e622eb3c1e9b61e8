import { setTimeout as pause } from 'node:timers/promises';
import { podRules } from '@ordinal/constructs';
import { compileCondition } from '@ordinal/schema/cel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from './world/world.ts';

// What pods the operator's token can make. The rules are asked twice: by our own CEL, and by the API server where it is a real one.

let world: World;
const namespace = 'pods';

type Level = 'baseline' | 'restricted';
type Row = readonly [what: string, pod: object, lowest: 'privileged' | Level, annotations?: object];

const container = (more: object = {}): object => ({ name: 'a', image: 'a:1', ...more });
const pod = (more: object): object => ({ containers: [container()], ...more });
const inContainer = (securityContext: object): object => ({ containers: [container({ securityContext })] });
const safe = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};
const safely = (more: object): object => inContainer({ ...safe, ...more });

const rows: readonly Row[] = [
  ['nothing said', pod({}), 'baseline'],
  ['all that restricted asks', safely({}), 'restricted'],
  ['host namespaces said to be off', pod({ hostNetwork: false, hostPID: false, hostIPC: false }), 'baseline'],
  ['hostNetwork', pod({ hostNetwork: true }), 'privileged'],
  ['hostPID', pod({ hostPID: true }), 'privileged'],
  ['hostIPC', pod({ hostIPC: true }), 'privileged'],
  ['privileged', inContainer({ privileged: true }), 'privileged'],
  [
    'a privileged init container',
    pod({ initContainers: [container({ name: 'i', securityContext: { privileged: true } })] }),
    'privileged',
  ],
  ['hostPath', pod({ volumes: [{ name: 'a', hostPath: { path: '/' } }] }), 'privileged'],
  ['emptyDir', { ...safely({}), volumes: [{ name: 'a', emptyDir: {} }] }, 'restricted'],
  ['nfs', { ...safely({}), volumes: [{ name: 'a', nfs: { server: 'a', path: '/' } }] }, 'baseline'],
  ['a port', { containers: [container({ ports: [{ containerPort: 1 }] })] }, 'baseline'],
  ['a hostPort', { containers: [container({ ports: [{ containerPort: 1, hostPort: 1 }] })] }, 'privileged'],
  ['SYS_ADMIN', inContainer({ capabilities: { add: ['SYS_ADMIN'] } }), 'privileged'],
  ['CHOWN', inContainer({ capabilities: { add: ['CHOWN'] } }), 'baseline'],
  ['NET_BIND_SERVICE', safely({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }), 'restricted'],
  ['no capability dropped', safely({ capabilities: {} }), 'baseline'],
  ['seccomp off', inContainer({ seccompProfile: { type: 'Unconfined' } }), 'privileged'],
  ['seccomp off for the pod', pod({ securityContext: { seccompProfile: { type: 'Unconfined' } } }), 'privileged'],
  ['AppArmor off', inContainer({ appArmorProfile: { type: 'Unconfined' } }), 'privileged'],
  [
    'AppArmor off by annotation',
    pod({}),
    'privileged',
    { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' },
  ],
  ['a type of SELinux', inContainer({ seLinuxOptions: { type: 'spc_t' } }), 'privileged'],
  ['a user of SELinux', inContainer({ seLinuxOptions: { user: 'system_u' } }), 'privileged'],
  ['an unmasked /proc', { hostUsers: false, ...inContainer({ procMount: 'Unmasked' }) }, 'privileged'],
  [
    'a safe sysctl',
    pod({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] } }),
    'baseline',
  ],
  ['another sysctl', pod({ securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }), 'privileged'],
  [
    'a probe of another host',
    { containers: [container({ livenessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } })] },
    'privileged',
  ],
  [
    'a HostProcess',
    pod({ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }),
    'privileged',
  ],
  ['privilege escalation', safely({ allowPrivilegeEscalation: true }), 'baseline'],
  ['root', safely({ runAsNonRoot: false }), 'baseline'],
  ['user 0', safely({ runAsUser: 0 }), 'baseline'],
];

const levels: readonly Level[] = ['baseline', 'restricted'];
const rank = ['privileged', 'baseline', 'restricted'];
const job = (spec: object, annotations: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a', namespace },
  spec: { template: { metadata: { annotations }, spec: { restartPolicy: 'Never', ...spec } } },
});

describe.each(levels)('at level %s', (level) => {
  const conditions = podRules[level].map(({ expression }) => compileCondition(expression, ['object']));
  const admits = (object: object): boolean =>
    conditions.every((condition) => {
      const result = condition({ object: object as never }); // JSON, as the table has it.
      if ('error' in result) throw new Error(result.error);
      return result.holds;
    });

  beforeAll(async () => {
    world = await startWorld({ operator: false, install: { podSecurity: level } });
    await world.allow('no-rights', namespace, []);
    await world.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
    if (world.plane.kind === 'simulated') return;
    // A policy is in force a moment after it is stored.
    const refused = level === 'baseline' ? pod({ hostPID: true }) : pod({});
    const deadline = performance.now() + 30_000;
    while ((await said(job(refused), level)) === 'done' && performance.now() < deadline) await pause(200);
  });
  afterAll(() => world.stop());

  test.each(rows.map((row) => [row[0], row] as const))('%s', async (_what, [, spec, lowest, annotations]) => {
    const isAdmitted = rank.indexOf(lowest) >= rank.indexOf(level);
    const object = job(spec, annotations);
    expect(admits(object)).toBe(isAdmitted);
    if (world.plane.kind === 'real') expect(await said(object, level)).toMatch(isAdmitted ? /^done$/ : /refused/);
  });
});

/** What the API server says to a Job of the operator: done, refused by the level's policy, or anything else. */
async function said(object: object, level: Level): Promise<string> {
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs?dryRun=All`;
  return await world.asOperator.request('POST', path, { body: object }).then(
    () => 'done',
    (error: unknown) => (String(error).includes(`at level ${level}`) ? 'refused' : String(error)),
  );
}
