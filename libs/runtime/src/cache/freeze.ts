/**
 * Freezes an object and everything in it, so that one reader can't damage what the others read. What is frozen already is not walked again, so
 * reading the same object twice costs nothing.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze<unknown>(inner);
  return value;
}
