/**
 * Ends a call under way: the `AbortSignal` of the program's own environment. Where a program's compiler knows of no environment (TypeScript 6 loads
 * neither `@types/node` nor the DOM by default), so much of it that code which only passes signals on compiles without one.
 */
export type CancelSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : { readonly aborted: boolean; readonly reason?: unknown };
