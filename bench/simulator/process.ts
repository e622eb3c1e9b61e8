// What the kernel knows of a process.
import { readFileSync } from 'node:fs';

/** The most memory that a process has ever had, in MiB, as the kernel counts it. */
export function peakMiB(pid: number | 'self' = 'self'): number {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (peak === undefined) throw new Error(`/proc/${pid}/status tells no VmHWM: memory is measured on Linux`);
  return Math.round(Number(peak) / 1024);
}

/** The CPU time of a process so far, in milliseconds; the kernel counts in hundredths of a second. */
export function cpuMsOf(pid: number): number {
  // After the name, which is in parentheses: user and system time are the 12th and 13th field.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
