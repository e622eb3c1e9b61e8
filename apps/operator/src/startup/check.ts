import type { Logger } from '@ordinal/runtime';
import { preflight, type PreflightOptions } from './preflight.ts';

/** Says in the log what is missing in the cluster. Never rejects: what can't be looked at is no reason not to work. */
export async function checkInstallation(options: PreflightOptions, log: Logger): Promise<void> {
  try {
    const missing = await preflight(options);
    for (const { what, message } of missing) log.error({ missing: what }, message);
    if (missing.length === 0) log.info({}, 'definitions and permissions are as this version needs them');
  } catch (error) {
    log.warn({ error: String(error) }, 'the operator could not check its definitions and permissions in the cluster');
  }
}
