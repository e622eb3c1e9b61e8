// One contender, one scenario, one process: prints what it measured as JSON.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { contenders, type Contender } from './contenders.ts';

const [name = '', scenario = '', kubeconfig = '', serverPid = ''] = process.argv.slice(2);

const scenarios: Readonly<Record<string, (contender: Contender) => Promise<number>>> = {
  async sequential(contender) {
    for (let count = 0; count < 500; count += 1) await contender.get('pod-1');
    return 500;
  },
  async concurrent(contender) {
    const worker = async (): Promise<void> => {
      for (let count = 0; count < 40; count += 1) await contender.get('pod-1');
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    return 2000;
  },
  async create(contender) {
    const worker = async (_value: unknown, index: number): Promise<void> => {
      for (let count = 0; count < 50; count += 1) await contender.create(`create-${process.pid}-${index}-${count}`);
    };
    await Promise.all(Array.from({ length: 20 }).map(worker));
    return 1000;
  },
  list: (contender) => contender.list(),
  watch: (contender) => contender.watch(),
};

// utime and stime of proc(5), in hundredths of a second.
function serverCpuMs(): number {
  if (serverPid === '') return Number.NaN;
  const fields = readFileSync(`/proc/${serverPid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const run = scenarios[scenario];
const make = contenders[name];
if (run === undefined || make === undefined) throw new Error(`no scenario "${scenario}" or contender "${name}"`);
const contender = await make(kubeconfig);
await contender.get('pod-1');

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const cpu = process.cpuUsage();
const serverCpu = serverCpuMs();
const startedAt = performance.now();
const count = await run(contender);
const ms = performance.now() - startedAt;
// The histogram counts a hold when the loop comes round.
await new Promise((resolve) => setTimeout(resolve, 10));
delay.disable();
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(
  JSON.stringify({
    count,
    ms,
    holdMs: delay.max / 1e6,
    cpuMs: (user + system) / 1000,
    serverCpuMs: serverCpuMs() - serverCpu,
    peakRssMiB: process.resourceUsage().maxRSS / 1024,
  }),
);
await contender.close();
process.exit(0);
