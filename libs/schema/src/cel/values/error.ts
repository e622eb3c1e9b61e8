/** An expression has no value: a key is not there, a number is too large, an argument has the wrong type. */
export class CelError extends Error {
  override readonly name = 'CelError';
}

/** No function takes arguments of these types. */
export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}
