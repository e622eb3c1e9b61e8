export { decideDisruption } from './disruption.ts';
export type { Disruption, DisruptionDecision, DisruptionVerdict, DisruptionView } from './disruption.ts';
export * from './gate.ts';
export * from './observed-reservations.ts';
export * from './protection.ts';
export { allowedOn, recordedOn } from './reservation.ts';
export * from './was-deletable.ts';
