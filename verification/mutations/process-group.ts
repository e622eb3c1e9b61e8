import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What came of a command. */
export interface Ended {
  /** `undefined` where it was ended because it took too long. */
  readonly code: number | undefined;
  readonly output: string;
}

/** How to run a command. */
export interface GroupOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** How much CPU-time it may use, with all that it starts, in seconds: a machine that does other work too does not shorten it. */
  readonly cpuSeconds: number;
}

const lookEveryMs = 500;
/** For what waits and uses no CPU-time, and for machines that do not tell how much is used: so many times the CPU-time pass at most. */
const patience = 20;
const keptOutput = 64 * 1024 * 1024;
/** In `/proc`, on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Runs a command as the leader of a process group, and ends all of the group with it: also workers that it started and that spin. */
export function runInGroup([command, ...args]: readonly [string, ...string[]], options: GroupOptions): Promise<Ended> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  let output = '';
  let isLate = false;
  const keep = (chunk: Buffer): void => void (output = `${output}${chunk.toString()}`.slice(-keptOutput));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const began = performance.now();
  const timer = setInterval(() => {
    if (pid === undefined) return;
    const passed = (performance.now() - began) / 1000;
    if (cpuSecondsOf(pid) < options.cpuSeconds && passed < options.cpuSeconds * patience) return;
    isLate = true;
    endGroup(pid);
  }, lookEveryMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // `close` and not `exit`: what a worker has said is to be read to its end.
    child.on('close', (code) => resolve({ code: isLate ? undefined : (code ?? 1), output }));
    child.on('exit', () => {
      clearInterval(timer);
      if (pid !== undefined) endGroup(pid);
    });
  });
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // No process of it is left.
  }
}

/** The CPU-time that the processes of a group have used, those that have ended and were waited for included; 0 where the system does not tell. */
function cpuSecondsOf(group: number): number {
  let ticks = 0;
  for (const name of processes()) {
    const [, , groupOf, ...rest] = statOf(name);
    // After state, parent and group: fields 14 to 17 of proc(5) are the times of the process and of its children, in ticks.
    if (Number(groupOf) === group) ticks += rest.slice(8, 12).reduce((sum, text) => sum + Number(text), 0);
  }
  return ticks / ticksPerSecond;
}

function processes(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** The fields of a process from its state on; empty where it has just ended. */
function statOf(process: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${process}/stat`, 'utf8');
    // The name of the command stands in brackets, and may hold anything.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
