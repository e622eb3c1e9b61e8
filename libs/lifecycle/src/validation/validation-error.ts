/** One thing that is wrong with an object, beyond what its schema can say. */
export interface ValidationError {
  /** The field, as a path from the object's root: `spec.upgrade.gates[0].http.port`. */
  readonly path: string;
  /** What is wrong with it, and how to put it right. */
  readonly message: string;
}

/** Errors as one line: what stands in a condition, and what a webhook answers. */
export function validationText(errors: readonly ValidationError[]): string {
  return errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
}
