import type { Eventually } from './program.ts';

/** Goes on with a value at once where it is there, or when its promise settles. A throw and a rejection are the same. */
export function whenSettled<T>(
  produce: () => Eventually<T>,
  then: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  let value: Eventually<T>;
  try {
    value = produce();
  } catch (error) {
    failed(error);
    return;
  }
  if (value instanceof Promise) value.then(then, failed);
  else then(value);
}
