/** One thing that is missing before the operator can work. */
export interface Missing {
  readonly what: 'definition' | 'version' | 'field' | 'permission';
  /** What is missing and what to do about it. */
  readonly message: string;
}
