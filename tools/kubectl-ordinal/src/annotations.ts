/** The annotations by which users tell the operator something. A test holds them to those that it reads. */
export const annotations = {
  paused: 'ordinal.dev/paused',
  retry: 'ordinal.dev/retry',
  promote: 'ordinal.dev/promote',
  abort: 'ordinal.dev/abort',
  openGates: 'ordinal.dev/open-gates',
  backup: 'ordinal.dev/backup',
  restoreDrill: 'ordinal.dev/restore-drill',
  restoreOver: 'ordinal.dev/restore-over',
} as const;
