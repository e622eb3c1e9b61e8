import type { JobInput } from '@ordinal/client';

type Json = Readonly<Record<string, unknown>>;

/** What may be changed of a Job, or of its template while it is suspended, or is different on each cluster: none of it makes another program run, or another result count. */
const ignored: ReadonlySet<string> = new Set([
  ...['suspend', 'parallelism', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished', 'backoffLimit'],
  'podReplacementPolicy',
  ...['nodeSelector', 'affinity', 'tolerations', 'schedulingGates', 'resources'],
  ...['imagePullPolicy', 'terminationMessagePath', 'defaultMode', 'sizeLimit'],
  // An old name of `serviceAccountName`, which the API server sets beside it.
  'serviceAccount',
]);

/** What the API server puts in where a Job says nothing. */
const defaults: Json = {
  completions: 1,
  completionMode: 'NonIndexed',
  manualSelector: false,
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
  terminationMessagePolicy: 'File',
  protocol: 'TCP',
  scheme: 'HTTP',
  apiVersion: 'v1',
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
  expirationSeconds: 3_600,
};

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An empty value says as much as none. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).flatMap(([key, part]): readonly (readonly [string, unknown])[] => {
    if (ignored.has(key) || defaults[key] === part) return [];
    const inside = plain(part);
    return isEmpty(inside) ? [] : [[key, inside]];
  });
  return Object.fromEntries(kept);
}

/**
 * What a Job runs, and what counts as its success: the same of a Job as it is made, as the API server shows it with defaults, and after what may be changed of it. Pure.
 *
 * **Guarantees.** A field that is not known here is a part of it. So a Job that another client makes with the same content runs the same programs.
 */
export function contentOf({ spec }: Pick<JobInput, 'spec'>): unknown {
  const { selector, template, ...rest } = spec as {
    readonly selector?: unknown;
    readonly template?: { readonly spec?: unknown };
  };
  const { manualSelector } = rest as { readonly manualSelector?: boolean };
  // The API server makes the selector, unless the Job has one of its own: that would count the pods of others.
  return plain({ ...rest, ...(manualSelector === true ? { selector } : {}), pod: template?.spec });
}
