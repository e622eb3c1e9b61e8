/**
 * The types that generated modules are written with: descriptors, objects, clients of kinds. Nothing of it exists when the program runs, it needs no other
 * declarations, and it is quick to check. A program imports `@ordinal/client`, which has all this and the client itself.
 */
export type * from './cancel-signal.ts';
export type * from './client.ts';
export type * from './descriptor.ts';
export type * from './object.ts';
