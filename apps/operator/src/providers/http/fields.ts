import { ExternalError } from '@ordinal/lifecycle';

const longestName = 1_024;

/** The type of a list's items. */
type Item<List> = List extends readonly (infer Entry extends object)[] ? Entry : never;

/**
 * An object of a reply, read field by field: what an outside service sends is never taken for what it should be. `Reply` is what the API's document says that it
 * is, so that no field is read which the document does not have.
 */
export class Fields<Reply extends object> {
  private readonly what: string;
  private readonly values: Readonly<Record<string, unknown>>;

  /** Throws an `ExternalError` with code `MalformedReply` where the value is no object. */
  constructor(value: unknown, what: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw malformed(`${what} is not an object`);
    this.what = what;
    this.values = value as Readonly<Record<string, unknown>>; // An object's fields are unknown values.
  }

  /** A short text that must be there: an ID, a status. */
  text(name: keyof Reply & string): string {
    const value = this.optionalText(name);
    if (value === undefined || value === '') throw malformed(`${this.what} has no ${name}`);
    if (value.length > longestName) throw malformed(`${name} of ${this.what} is longer than ${longestName} characters`);
    return value;
  }

  /** A text, where there is one. */
  optionalText(name: keyof Reply & string): string | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw malformed(`${name} of ${this.what} is not a text`);
    return value;
  }

  /** A number, where there is one. */
  optionalNumber(name: keyof Reply & string): number | undefined {
    const value = this.values[name];
    return typeof value === 'number' ? value : undefined;
  }

  /** A truth value, where there is one. */
  optionalBoolean(name: keyof Reply & string): boolean | undefined {
    const value = this.values[name];
    return typeof value === 'boolean' ? value : undefined;
  }

  /** An object, where there is one. */
  optionalFields<Name extends keyof Reply & string>(name: Name): Fields<NonNullable<Reply[Name]> & object> | undefined {
    const value = this.values[name];
    return value === undefined || value === null ? undefined : new Fields(value, `${name} of ${this.what}`);
  }

  /** A list of objects that must be there. */
  list<Name extends keyof Reply & string>(name: Name): readonly Fields<Item<Reply[Name]>>[] {
    const value = this.values[name];
    if (!Array.isArray(value)) throw malformed(`${this.what} has no list ${name}`);
    return value.map((entry, index) => new Fields(entry, `${name}[${index}] of ${this.what}`));
  }
}

const malformed = (message: string): ExternalError => new ExternalError('MalformedReply', message);
