/** What an upgrade is doing. */
export type Step =
  | 'Starting'
  | 'Holding'
  | 'HandingOff'
  | 'AwaitingGate'
  | 'TakingDown'
  | 'AwaitingTermination'
  | 'AwaitingReplacement'
  | 'AwaitingReady'
  | 'AwaitingSync'
  | 'Paused'
  | 'RollingBack'
  | 'Failed';
