import type { FieldError, FieldErrorType } from '../../field-error.ts';
import type { JsonValue } from '../../json.ts';

/** An error with the text by which the API server distinguishes errors. */
export interface Finding {
  readonly text: string;
  readonly error: FieldError;
}

/** Errors so far, each text once, and how many checks held: `anyOf` and `oneOf` report their most matching branch. */
export class Result {
  readonly findings: Finding[] = [];
  matchCount = 0;

  /** True while there is no error. */
  get valid(): boolean {
    return this.findings.length === 0;
  }

  /** Adds an error unless its text is there already. */
  add(finding: Finding): void {
    if (!this.findings.some((known) => known.text === finding.text)) this.findings.push(finding);
  }

  /** Adds the errors and the matches of another result. */
  merge(other: Result): void {
    for (const finding of other.findings) this.add(finding);
    this.matchCount += other.matchCount;
  }
}

/** An error that names its field. */
export function finding(name: string, type: FieldErrorType, text: string, value: JsonValue | undefined): Finding {
  const field = name === '' || name === '.' ? '<nil>' : name.startsWith('.') ? name.slice(1) : name;
  return { text, error: { type, field, ...(value === undefined ? {} : { value }), detail: text } };
}

/** An error about a whole schema, which the API server prints without a field. */
export function composite(text: string): Finding {
  return { text, error: { type: 'FieldValueInvalid', field: '<nil>', value: '', detail: text } };
}
