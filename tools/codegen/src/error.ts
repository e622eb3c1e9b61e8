/** Where in the input something stands. */
export interface SourcePlace {
  /** The file's name as the user gave it; `<stdin>` for standard input. */
  readonly file: string;
  /** Counted from 1. */
  readonly line?: number;
}

/** What kind of failure: bad use of the command, input that can't be read or honoured, or output that can't be written. */
export type CodegenErrorCode =
  'Usage' | 'Unreadable' | 'NotYaml' | 'NotACrd' | 'Unsupported' | 'Duplicate' | 'NotWritable';

/** One failure in one line: file, line, what, and what to do. */
export class CodegenError extends Error {
  override readonly name = 'CodegenError';
  readonly code: CodegenErrorCode;
  readonly place: SourcePlace | undefined;

  constructor(
    code: CodegenErrorCode,
    message: string,
    options: { readonly place?: SourcePlace; readonly cause?: unknown } = {},
  ) {
    super(`${formatPlace(options.place)}${oneLine(message)}`, { cause: options.cause });
    this.code = code;
    this.place = options.place;
  }
}

const formatPlace = (place: SourcePlace | undefined): string =>
  place === undefined ? '' : `${place.file}${place.line === undefined ? '' : `:${String(place.line)}`}: `;

// eslint-disable-next-line no-control-regex -- control characters are what must not reach a terminal
const oneLine = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
