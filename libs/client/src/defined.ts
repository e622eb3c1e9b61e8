type Optional<Fields> = { [Name in keyof Fields]: undefined extends Fields[Name] ? Name : never }[keyof Fields];

/** The same fields; each whose value may be undefined may be absent instead. */
export type Defined<Fields> = Omit<Fields, Optional<Fields>> & {
  [Name in Optional<Fields>]?: Exclude<Fields[Name], undefined>;
};

/** The fields that have a value: those that are undefined are left out, as an API object has none of them. Pure. */
export const defined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>; // What is left out may be absent.
