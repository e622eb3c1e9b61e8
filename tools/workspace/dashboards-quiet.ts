/** Panels that the demo leaves empty, by pattern, and why. */
const quiet: readonly { readonly panels: RegExp; readonly because: string }[] = [
  {
    panels: /: (Firing alerts|Which and when|Watch trouble|Status not verified rate|Reduction)$/,
    because: 'nothing of it happens in the demo',
  },
  {
    panels: /: Finalizer cleanup errors rate$/,
    because: 'its labels name the error: it is not there before one has happened',
  },
  { panels: /: Finalizer cleanup duration$/, because: 'one observation, the first, is no rate' },
  {
    panels: /^ordinal-operator: Webhook /,
    because: 'an API server can’t call the webhooks of a process outside of its cluster',
  },
  { panels: /^ordinal-(clusteredcache|monitoredstatefulset): Job failed$/, because: 'the demo has no Jobs for these' },
  {
    panels: /^ordinal-kvstorecluster: (Backup|Drill|Last backup|Terminating)/,
    because: 'no backup is scheduled, and no store is deleted',
  },
  { panels: /^ordinal-clouddatabase: Rotation overdue$/, because: 'no database of the demo has spec.rotation' },
  {
    panels: /^ordinal-monitoredstatefulset: (Upgrade|Check failed|Gate bypassed)/,
    because: 'the set of the demo has no spec.upgrade',
  },
];

/** Whether a panel, by `dashboard: title`, may be empty after a demo. */
export const isQuiet = (name: string): boolean => quiet.some(({ panels }) => panels.test(name));
