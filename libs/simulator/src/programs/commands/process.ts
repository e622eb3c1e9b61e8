import { sleep } from '@ordinal/client';
import type { SimpleCommand } from '../shell/command.ts';
import { untilAborted } from './text.ts';

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** What a timer can wait at most. */
const longestMs = 2_000_000_000;

const sleepFor: SimpleCommand = async (args, { process, signal, err }) => {
  let ms = 0;
  for (const arg of args) {
    const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(arg) ?? [];
    if (amount === undefined) {
      err(arg === 'infinity' ? '' : `sleep: invalid number '${arg}'\n`);
      return arg === 'infinity' ? untilAborted(signal) : 1;
    }
    ms += Number(amount) * (unitsMs[unit] ?? 1000);
  }
  await sleep(process.clock, Math.min(ms, longestMs), signal);
  return 0;
};

const printenv: SimpleCommand = ([name], { env, out }) => {
  if (name === undefined) {
    for (const [key, value] of env) out(`${key}=${value}\n`);
    return 0;
  }
  const value = env.get(name);
  if (value === undefined) return 1;
  out(`${value}\n`);
  return 0;
};

const id: SimpleCommand = ([flag = ''], { process, out }) => {
  const { uid = 0, gid = 0 } = process.user;
  const texts: Readonly<Record<string, string>> = { '-u': `${uid}`, '-g': `${gid}`, '-G': `${gid}` };
  out(`${texts[flag] ?? `uid=${uid} gid=${gid}`}\n`);
  return 0;
};

/** `sysctl NAME`: a setting of the kernel. */
const sysctl: SimpleCommand = (args, { files, out, err }) => {
  const isBare = args.includes('-n');
  const [name = ''] = args.filter((arg) => !arg.startsWith('-'));
  const value = files.read(`/proc/sys/${name.replaceAll('.', '/')}`);
  if (value === undefined) {
    err(`sysctl: error: '${name}' is an unknown key\n`);
    return 1;
  }
  out(isBare ? value : `${name} = ${value}`);
  return 0;
};

/** Commands about the process itself: its variables, its pod, and time. */
export const processCommands: Readonly<Record<string, SimpleCommand>> = {
  id,
  sysctl,
  // Of what is mounted, the control group alone can be seen.
  mount: (args, { out }) => {
    if (args.length === 0 || args[1] === 'cgroup2')
      out('cgroup2 on /sys/fs/cgroup type cgroup2 (ro,nosuid,nodev,noexec)\n');
    return 0;
  },
  true: () => 0,
  false: () => 1,
  sleep: sleepFor,
  printenv,
  env: (_, io) => printenv([], io),
  hostname: (_, { process, out }) => {
    out(process.files()['/etc/hostname'] ?? '');
    return 0;
  },
  date: (args, { process, out }) => {
    const now = process.clock.now();
    out(`${args[0] === '+%s' ? Math.floor(now / 1000) : new Date(now).toUTCString()}\n`);
    return 0;
  },
};
