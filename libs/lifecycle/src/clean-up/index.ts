export * from './hold.ts';
export * from './step.ts';
export * from './wait.ts';
