export { hiding } from './hide.ts';
export { questions, recordedEnvironment } from './recorded-environment.ts';
export type { RecordedSystem } from './recorded-environment.ts';
export { hasTokens, lostTokens, opened, sealedTokens } from './token.ts';
export type { Token } from './token.ts';
