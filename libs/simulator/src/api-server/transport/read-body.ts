/** What is in a body. */
export interface ReadBody {
  readonly value: unknown;
  /** Fields that the text gives twice. */
  readonly repeated: readonly string[];
}
