/** What an upgrade is doing. */
export type Step =
  | 'Starting'
  | 'BeforeFirstPod'
  | 'Baking'
  | 'Analysing'
  | 'AwaitingPromotion'
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
