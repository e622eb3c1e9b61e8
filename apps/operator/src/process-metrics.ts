import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** What the process takes and since when it runs, under the names that every client library of Prometheus uses. Looked up when it is scraped. */
export function observeProcess(registry: Registry, startedAtMs: number): void {
  const registers = [registry];
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began, in seconds since 1970.',
    registers,
  }).set(startedAtMs / 1_000);
  const memory: Gauge = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory.',
    registers,
    collect: () => memory.set(process.memoryUsage.rss()),
  });
  const cpu: Counter = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Time on the processor, in user and system mode.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1e6);
    },
  });
}
