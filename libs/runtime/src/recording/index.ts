export { decisionAsJson } from './encode.ts';
export type { Hide } from './encode.ts';
export * from './flight-recorder.ts';
export * from './format.ts';
export { notingReader } from './noting-reader.ts';
export * from './read-recording.ts';
export * from './recording-writer.ts';
export { askedText } from './slot.ts';
export type { Slot } from './slot.ts';
