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
  /** A partition has released it. */
  | 'Replacing'
  /** All have been released, and it is about to be recorded that they run what is wanted. */
  | 'Completing'
  | 'AwaitingTermination'
  | 'AwaitingReplacement'
  | 'AwaitingReady'
  | 'AwaitingSync'
  | 'Paused'
  | 'RollingBack'
  | 'Failed';
