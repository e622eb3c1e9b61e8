// The Pod Security Standards (kubernetes.io/docs/concepts/security/pod-security-standards) as CEL over an object with a pod template.

/** One thing that a template has to be. */
export interface PodRule {
  /** What is wrong where it is not. */
  readonly wrong: string;
  /** CEL, over `object`. */
  readonly expression: string;
}

const spec = 'object.spec.template.spec';
const containers = `(${spec}.containers + ${spec}.?initContainers.orValue([]))`;
const every = (holds: string): string => `${containers}.all(c, ${holds})`;
/** Of the pod's security context, and of that of each container. */
const everywhere = (holds: (context: string) => string): string =>
  `(${holds(`${spec}.?securityContext`)}) && ${every(holds('c.?securityContext'))}`;
const oneOf = (field: string, values: readonly string[]): string =>
  `${field}.orValue(${JSON.stringify(values[0])}) in ${JSON.stringify(values)}`;

const capabilities = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE', 'SETFCAP'],
  ...['SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
];

const sysctls = [
  ...['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.ip_unprivileged_port_start'],
  ...['net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range', 'net.ipv4.ip_local_reserved_ports'],
  ...['net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl'],
  ...['net.ipv4.tcp_keepalive_probes', 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'],
];

const probes = [
  ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((probe) => `c.?${probe}`),
  ...['postStart', 'preStop'].map((hook) => `c.?lifecycle.?${hook}`),
];
const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];
const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

/** What no template may have at level baseline. */
export const baselineRules: readonly PodRule[] = [
  {
    wrong: 'hostNetwork, hostPID or hostIPC is set',
    expression: ['hostNetwork', 'hostPID', 'hostIPC'].map((f) => `!${spec}.?${f}.orValue(false)`).join(' && '),
  },
  {
    wrong: 'a Windows HostProcess is asked for',
    expression: everywhere((context) => `!${context}.?windowsOptions.?hostProcess.orValue(false)`),
  },
  { wrong: 'a container is privileged', expression: every('!c.?securityContext.?privileged.orValue(false)') },
  {
    wrong: 'a container adds capabilities beyond the default ones',
    expression: every(`c.?securityContext.?capabilities.?add.orValue([]).all(a, a in ${JSON.stringify(capabilities)})`),
  },
  {
    wrong: 'a volume is a hostPath',
    expression: `${spec}.?volumes.orValue([]).all(v, !has(v.hostPath))`,
  },
  {
    wrong: 'a container has a hostPort',
    expression: every('c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0)'),
  },
  {
    wrong: 'a probe or lifecycle hook names a host',
    expression: every(
      probes
        .flatMap((probe) => ['httpGet', 'tcpSocket'].map((kind) => `${probe}.?${kind}.?host.orValue('') == ''`))
        .join(' && '),
    ),
  },
  {
    wrong: 'AppArmor is switched off',
    expression: `${everywhere((context) =>
      oneOf(`${context}.?appArmorProfile.?type`, ['RuntimeDefault', 'Localhost']),
    )} && object.spec.template.?metadata.?annotations.orValue({}).all(k, !k.startsWith('${appArmorAnnotation}') || object.spec.template.metadata.annotations[k] == 'runtime/default' || object.spec.template.metadata.annotations[k].startsWith('localhost/'))`,
  },
  {
    wrong: 'SELinux options are not those of a container',
    expression: everywhere(
      (context) =>
        `${oneOf(`${context}.?seLinuxOptions.?type`, seLinuxTypes)} && ${context}.?seLinuxOptions.?user.orValue('') == '' && ${context}.?seLinuxOptions.?role.orValue('') == ''`,
    ),
  },
  {
    wrong: 'a container has a procMount of its own',
    expression: every(`c.?securityContext.?procMount.orValue('Default') == 'Default'`),
  },
  {
    wrong: 'seccomp is switched off',
    expression: everywhere((context) => oneOf(`${context}.?seccompProfile.?type`, ['RuntimeDefault', 'Localhost'])),
  },
  {
    wrong: 'a sysctl is not a safe one',
    expression: `${spec}.?securityContext.?sysctls.orValue([]).all(s, s.name in ${JSON.stringify(sysctls)})`,
  },
];

const volumeTypes = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'],
];

/** What a template has to say besides at level restricted. Pods of Windows are held to it as well. */
export const restrictedRules: readonly PodRule[] = [
  {
    wrong: `a volume is none of ${volumeTypes.join(', ')}`,
    expression: `${spec}.?volumes.orValue([]).all(v, ${volumeTypes.map((type) => `has(v.${type})`).join(' || ')})`,
  },
  {
    wrong: 'a container does not refuse privilege escalation (allowPrivilegeEscalation: false)',
    expression: every('!c.?securityContext.?allowPrivilegeEscalation.orValue(true)'),
  },
  {
    wrong: 'a container may run as root (runAsNonRoot: true)',
    expression: every(
      `c.?securityContext.?runAsNonRoot.orValue(${spec}.?securityContext.?runAsNonRoot.orValue(false))`,
    ),
  },
  {
    wrong: 'a container runs as user 0',
    expression: everywhere((context) => `${context}.?runAsUser.orValue(1) != 0`),
  },
  {
    wrong: 'a container has no seccomp profile',
    expression: every(
      `c.?securityContext.?seccompProfile.?type.orValue(${spec}.?securityContext.?seccompProfile.?type.orValue('')) != ''`,
    ),
  },
  {
    wrong: 'a container does not drop all capabilities but NET_BIND_SERVICE',
    expression: every(
      `'ALL' in c.?securityContext.?capabilities.?drop.orValue([]) && c.?securityContext.?capabilities.?add.orValue([]).all(a, a == 'NET_BIND_SERVICE')`,
    ),
  },
];
