/** One thing that is wrong with a spec, beyond what its schema can say. */
export interface SpecFault {
  /** The field, from the object's root: `spec.monitorEndpoint`. */
  readonly field: string;
  /** What is wrong with it, and how to put it right. */
  readonly message: string;
}

/** Faults as one line: what stands in a condition, and what a webhook answers. */
export function faultText(faults: readonly SpecFault[]): string {
  return faults.map(({ field, message }) => `${field}: ${message}`).join('; ');
}
