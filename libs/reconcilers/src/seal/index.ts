export type { SealKey } from './seal.ts';
export type { Sealer, Seals } from './seals.ts';
export { isSealed, StatusKeeper } from './status-keeper.ts';
export type { Memory } from './status-keeper.ts';
