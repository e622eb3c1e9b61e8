/** What is in a body. */
export interface ReadBody {
  readonly value: unknown;
  /** Fields that the text gives twice. */
  readonly repeated: readonly string[];
  /** Where in the text each problem would be found; absent where no field is given twice. */
  readonly places?: ReadonlyMap<string, number>;
}
