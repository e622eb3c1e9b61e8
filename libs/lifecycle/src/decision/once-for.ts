/**
 * The same pure function, computed once for each object that it is asked about. For objects that never change, such as what was observed at one time: a decision asks
 * many things of it that rest on the same. What is known of an object goes with it. What is given is shared, and must not be changed.
 */
export function onceFor<Input extends object, Output>(compute: (input: Input) => Output): (input: Input) => Output {
  const known = new WeakMap<Input, { readonly output: Output }>();
  return (input) => {
    const found = known.get(input) ?? { output: compute(input) };
    known.set(input, found);
    return found.output;
  };
}
