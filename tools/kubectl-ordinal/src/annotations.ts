/** The annotations by which users tell the operator something. A test holds them to those that it reads. */
export const annotations = {
  paused: 'ordinal.dev/paused',
  retry: 'ordinal.dev/retry',
} as const;
