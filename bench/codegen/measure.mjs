import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Calls `generate` for each CRD of the folder in the first argument, in one process, and prints what it took. Files go into the folder in the second
 * argument. A CRD that makes it throw counts as failed.
 */
export async function measure(generate) {
  const [crds, out] = process.argv.slice(2);
  const sources = readdirSync(crds)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => ({ file, path: join(crds, file), text: readFileSync(join(crds, file), 'utf8') }));
  mkdirSync(out, { recursive: true });
  const failed = [];
  const times = [];
  const processorTimes = [];
  const start = performance.now();
  const cpu = process.cpuUsage();
  for (const source of sources) {
    const begin = performance.now();
    const before = process.cpuUsage();
    try {
      await generate(source, out);
    } catch (error) {
      failed.push({ file: source.file, error: String(error).split('\n')[0] });
    }
    times.push(performance.now() - begin);
    const spent = process.cpuUsage(before);
    processorTimes.push(spent.user + spent.system);
  }
  const used = process.cpuUsage(cpu);
  const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
  const seconds = (performance.now() - start) / 1000;
  const result = {
    crds: sources.length,
    failed,
    seconds,
    cpuSeconds: (used.user + used.system) / 1e6,
    medianSeconds: median(times) / 1000,
    medianCpuSeconds: median(processorTimes) / 1e6,
  };
  process.stdout.write(`\n${JSON.stringify(result)}\n`);
}
