import type { Logger } from '@ordinal/runtime';
import type { OperatorEnvironment, OperatorStart } from '@ordinal/simulator';
import { StatusTap } from './status-tap.ts';
import type { DecisionRecord } from './decision-record.ts';

const loggers = new WeakMap<OperatorEnvironment, Logger>();

/** The logger that an operator of this environment is to write to, as an option of its manager. */
export function loggerOf(environment: OperatorEnvironment): { readonly logger?: Logger } {
  const logger = loggers.get(environment);
  return logger ? { logger } : {};
}

/** The same operator, of which it is recorded what it does and says. */
export const logged =
  (start: OperatorStart, record: DecisionRecord): OperatorStart =>
  (given) => {
    const transport = new StatusTap(given.transport, (resource, status) => record.said(resource, status));
    const environment = { ...given, transport };
    loggers.set(environment, record.logger);
    return start(environment);
  };
