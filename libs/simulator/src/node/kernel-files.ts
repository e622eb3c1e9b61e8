import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { parseQuantity } from '../api-server/schema/quantity.ts';

const period = 100_000;

const nanoOf = (text: string | undefined): bigint => (text === undefined ? 0n : (parseQuantity(text)?.nano ?? 0n));

/** What the kernel shows a container of itself: its control group (version 2), and its processors. */
export function kernelFiles({ resources = {} }: Container): Readonly<Record<string, string>> {
  const { limits = {}, requests = {} } = resources;
  const milli = Number(nanoOf(limits['cpu']) / 1_000_000n);
  const memory = nanoOf(limits['memory']) / 1_000_000_000n;
  const asked = Number(nanoOf(requests['cpu'] ?? limits['cpu']) / 1_000_000n);
  const shares = Math.min(262_144, Math.max(2, Math.floor((asked * 1024) / 1000)));
  const quota = Math.max(1000, (milli * period) / 1000);
  return {
    '/sys/fs/cgroup/cpu.max': `${milli === 0 ? 'max' : quota} ${period}\n`,
    '/sys/fs/cgroup/cpu.weight': `${1 + Math.floor(((shares - 2) * 9999) / 262_142)}\n`,
    '/sys/fs/cgroup/memory.max': `${memory === 0n ? 'max' : memory}\n`,
    '/proc/self/status': 'Name:\tsh\nPid:\t1\nCpus_allowed_list:\t0-63\n',
  };
}

type Sysctls = NonNullable<NonNullable<PodSpec['securityContext']>['sysctls']>;

const pathOf = (name: string): string => `/proc/sys/${name.replaceAll('.', '/')}`;

/** Settings of the kernel that every pod may have, as they are without a pod's own. */
const usualSysctls: Sysctls = [
  { name: 'kernel.shm_rmid_forced', value: '0' },
  { name: 'net.ipv4.ip_local_port_range', value: '32768\t60999' },
  { name: 'net.ipv4.ip_unprivileged_port_start', value: '0' },
  { name: 'net.ipv4.tcp_syncookies', value: '1' },
];

/** The settings of the kernel that a pod has. */
export const sysctlFiles = ({ securityContext }: PodSpec): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...usualSysctls, ...(securityContext?.sysctls ?? [])].map(({ name, value }) => [pathOf(name), `${value}\n`]),
  );
