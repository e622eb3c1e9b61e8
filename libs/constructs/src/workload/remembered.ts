/** How many results are kept: of the resources that are being looked at again and again, not of all that there are. */
const limit = 64;

/** Freezes a value through and through: a reader that gets it from a memory gets what others get as well. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze<unknown>(inner);
  return value;
}

/**
 * The same pure function, which gives what it gave before where it is asked the same (the same JSON) again soon. While an upgrade is under way a resource is
 * looked at many times, and nearly each time its children are the same ones. What is given is frozen.
 */
export function remembered<Input, Output>(compute: (input: Input) => Output): (input: Input) => Output {
  const results = new Map<string, Output>();
  return (input) => {
    const text = JSON.stringify(input);
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = freeze(compute(input));
    const [oldest] = results.keys();
    if (oldest !== undefined && results.size >= limit) results.delete(oldest);
    results.set(text, result);
    return result;
  };
}
