/** Work that may have to wait: it yields each answer that takes time, and goes on once that is there. What it does not wait for, it does at once. */
export type Work<T> = Generator<Promise<void>, T, void>;

/**
 * Does several works side by side, the first steps in their order. Each runs to its end whatever becomes of the others; what they threw is the result, in the
 * order in which it came.
 */
export function* sideBySide(works: readonly Work<unknown>[]): Work<readonly unknown[]> {
  const failures: unknown[] = [];
  let steps = works.map((work) => ({ work, go: () => work.next() }));
  while (steps.length > 0) {
    const waiting = steps.flatMap(({ work, go }) => {
      try {
        const step = go();
        return step.done === true ? [] : [{ work, answer: step.value }];
      } catch (error) {
        failures.push(error);
        return [];
      }
    });
    steps = [];
    if (waiting.length === 0) break;
    yield Promise.all(waiting.map(({ work, answer }) => resumption(work, answer))).then((next) => {
      steps = next;
    });
  }
  return failures;
}

interface Resumption {
  readonly work: Work<unknown>;
  readonly go: () => IteratorResult<Promise<void>>;
}

/** How a work goes on once the answer is there, or is known to fail. */
function resumption(work: Work<unknown>, answer: Promise<void>): Promise<Resumption> {
  return answer.then(
    () => ({ work, go: () => work.next() }),
    (error: unknown) => ({ work, go: () => work.throw(error) }),
  );
}
