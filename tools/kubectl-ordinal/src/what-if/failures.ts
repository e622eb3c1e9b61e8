import type { OrdinalResource } from '../kinds.ts';
import { conditionOf } from '@ordinal/client';
import type { ExternalErrorCode } from '@ordinal/lifecycle';

/** How calls of a service outside fail. */
export interface KnownFailure {
  readonly code: ExternalErrorCode;
  readonly message: string;
  /** What says so. */
  readonly by: string;
}

/** What says that a service is not to be had, whatever is asked of it. The others say it of one thing. */
const outages: ReadonlySet<ExternalErrorCode> = new Set([
  ...(['Unreachable', 'Unavailable', 'TimedOut', 'Unauthorized', 'Forbidden', 'EndpointRefused'] as const),
]);

const others: ReadonlySet<ExternalErrorCode> = new Set([
  ...(['Refused', 'NameTaken', 'Busy', 'QuotaExceeded', 'RateLimited', 'MalformedReply'] as const),
  ...(['ReplyTooLarge', 'Unsupported'] as const),
]);

/** Whether nothing can be asked of a service that fails so. Pure. */
export const isOutage = ({ code }: KnownFailure): boolean => outages.has(code);

/** The words of a condition: what was called, where a call was made, how it failed, and the provider's own; what helps is added by the operator. */
const words = /^(?:\w+: )?([A-Z]\w+): (.*?)(?:; to try it again at once: .*)?$/s;

/** The condition in which a resource says how a call for it failed last, and the reasons that say so. */
function conditionFor(resource: OrdinalResource) {
  const conditions = resource.status?.conditions;
  switch (resource.kind) {
    case 'CloudDatabase':
      return { said: conditionOf(conditions, 'Synced'), reasons: ['CallFailed'] };
    case 'MonitoredStatefulSet':
      return {
        said: conditionOf(conditions, 'MonitorRegistered'),
        reasons: ['RegistrationFailed', 'MonitorUnreachable'],
      };
    default:
      return undefined;
  }
}

/** How the last call outside failed that was made for a resource, as its status says; undefined where it did not. Pure. */
export function failureSaidBy(resource: OrdinalResource): KnownFailure | undefined {
  const { said, reasons } = conditionFor(resource) ?? {};
  const [, word, message = ''] = (said && reasons?.includes(said.reason) && words.exec(said.message)) || [];
  const code = [...outages, ...others].find((each) => each === word);
  return code && { code, message, by: `${resource.kind} ${resource.metadata.name}` };
}
