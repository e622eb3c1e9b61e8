import type { Manager } from '@ordinal/runtime';
import { serveProbes } from '@ordinal/runtime/observability';
import type { Registry } from 'prom-client';
import type { OperatorSettings } from './configuration/settings.ts';

/** What health, readiness and metrics are taken from. */
export interface Observed {
  readonly manager: Pick<Manager, 'readiness'>;
  readonly registry: Registry;
}

/** Serves health and metrics where the settings want them, on one port or two. Returns what closes them; rejects where a port is taken. */
export async function serveHealthAndMetrics(
  { healthPort, metricsPort }: Pick<OperatorSettings, 'healthPort' | 'metricsPort'>,
  { manager, registry }: Observed,
): Promise<readonly (() => Promise<void>)[]> {
  const closing: (() => Promise<void>)[] = [];
  const serve = async (port: number, withMetrics: boolean): Promise<void> => {
    const server = await serveProbes({ port, manager, ...(withMetrics ? { registry } : {}) });
    closing.push(() => server.close());
  };
  if (healthPort !== 0) await serve(healthPort, metricsPort === healthPort);
  if (metricsPort !== 0 && metricsPort !== healthPort) await serve(metricsPort, true);
  return closing;
}
